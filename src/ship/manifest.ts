import { parseAllDocuments, stringify } from "yaml";

/** An object of a manifest: rendered, or as it stands in a file below `config/`. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** An object of which these fields of the spec are known. */
export type WithSpec<Spec> = ManifestObject & { readonly spec: Spec };

export function parseManifest(text: string): ManifestObject[] {
  return parseAllDocuments(text, { logLevel: "error" })
    .map((document) => document.toJS() as ManifestObject | null)
    .filter((object) => object !== null);
}

/** Formats objects as one manifest; YAML 1.1 readers see the same types. */
export function formatManifest(objects: readonly ManifestObject[]): string {
  return objects
    .map((object) => stringify(object, { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false }))
    .join("---\n");
}

/** The display name of an object: `Deployment system/manager`. */
export function describeObject({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`;
}

export function isCrd({ kind }: ManifestObject): boolean {
  return kind === "CustomResourceDefinition";
}
