import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../shared/read-yaml.ts";
import type { ManifestObject } from "../ship/manifest.ts";

/** Reads the objects in all YAML files of a folder in the project, except for kustomize's own files. */
export function readConfig(project: string, folder: string): ManifestObject[] {
  return readConfigFiles(project, folder).flatMap(({ objects }) => objects);
}

/** Reads them with the paths of their files: `config/samples/apps_v1_mysql.yaml`. */
export function readConfigFiles(
  project: string,
  folder: string,
): { readonly file: string; readonly objects: readonly ManifestObject[] }[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith("kustom"))
    .toSorted()
    .map((name) => `${folder}/${name}`)
    .map((file) => ({ file, objects: readObjects(project, file) }));
}

function readObjects(project: string, file: string): ManifestObject[] {
  const complaint = {
    code: "INVALID_SOURCE",
    hint: "fix the YAML; it is reloaded when you save it",
  } as const;
  return readYaml(file, readFileSync(join(project, file), "utf8"), complaint).flatMap((value) => {
    const object = value as ManifestObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}
