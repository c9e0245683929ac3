import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { ApiObject } from "../contract/api-object.ts";

/** Loads objects from values, YAML texts, files and folders; the files of a folder are sorted by name. */
export async function loadObjects(sources: ReadonlyArray<string | object>): Promise<ApiObject[]> {
  const objects: ApiObject[] = [];
  for (const source of sources) {
    if (typeof source === "object") objects.push(structuredClone(source) as ApiObject);
    else if (source.includes("\n")) objects.push(...parseObjects(source));
    else for (const text of await readPath(source)) objects.push(...parseObjects(text));
  }
  return objects;
}

async function readPath(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [await readFile(path, "utf8")];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  return Promise.all(names.map((name) => readFile(join(path, name), "utf8")));
}

/** Documents without a kind, such as empty ones with comments, are skipped. */
function parseObjects(text: string): ApiObject[] {
  const values = parseAllDocuments(text).map((document) => document.toJS() as ApiObject | null);
  return values.filter(
    (value): value is ApiObject => typeof value?.apiVersion === "string" && value.kind !== "Kustomization",
  );
}
