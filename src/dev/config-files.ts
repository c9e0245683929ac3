import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../shared/read-yaml.ts";
import type { ManifestObject } from "../ship/manifest.ts";

/** Reads the objects of all YAML files of one of the project's folders; kustomize's own files are none. */
export function readConfig(project: string, folder: string): ManifestObject[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith("kustom"))
    .toSorted()
    .flatMap((name) => readObjects(project, `${folder}/${name}`));
}

function readObjects(project: string, file: string): ManifestObject[] {
  const complaint = {
    code: "INVALID_SOURCE",
    hint: "mend the YAML; it is read again when it is saved",
  } as const;
  return readYaml(file, readFileSync(join(project, file), "utf8"), complaint).flatMap((value) => {
    const object = value as ManifestObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}
