import { stringify } from "yaml";

/** OLM and the servers of catalogs read YAML 1.1, and long texts stay on their line. */
export const yamlOptions = { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

export function writeYaml(value: unknown): string {
  return stringify(value, yamlOptions);
}
