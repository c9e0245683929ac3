import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { planTypes } from "../../generators/types/types-from-crd.ts";
import { readCrds } from "../../generators/types/read-crds.ts";
import { newResource, type Resource } from "../../project/project.ts";
import { atFile } from "../../shared/files.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** The folder for types of third-party kinds. In `api/`, the generators would take them for the project's own. */
const typesFolder = "src/types";

/** Plans types for CRD files, with a note for each part of a schema that TypeScript can't express. */
export async function planCrdTypes(
  cwd: string,
  files: readonly string[],
  folder: string = typesFolder,
): Promise<{ files: ReadonlyMap<string, string>; notes: string[] }> {
  const { changes, lost } = await planTypes(
    files.map((name) => ({ name, text: readCrdFile(cwd, name) })),
    folder,
  );
  return {
    files: new Map(changes.map(({ path, content }) => [path, content ?? ""])),
    notes: lost.map((part) => `not in the types: ${part}`),
  };
}

/** Returns the record for `PROJECT` of a kind that a CRD file defines. Throws if the file lacks the kind or version. */
export async function resourceFromCrd(
  cwd: string,
  file: string,
  wanted: { readonly version: string; readonly kind: string },
): Promise<Resource> {
  const crds = await readCrds(file, readCrdFile(cwd, file));
  const kinds = crds.map(({ spec }) => spec.names.kind);
  const crd = crds.find(({ spec }) => spec.names.kind === wanted.kind);
  if (!crd) {
    throw new TsbuilderError(`"${file}" has no CRD for kind "${wanted.kind}"`, {
      code: "NOT_FOUND",
      hint: `it has --kind ${kinds.join(", ")}`,
    });
  }
  const { group, scope, names, versions } = crd.spec;
  if (!versions.some(({ name }) => name === wanted.version)) {
    throw new TsbuilderError(`"${file}" has no version "${wanted.version}" of "${wanted.kind}"`, {
      code: "NOT_FOUND",
      hint: `it has ${versions.map(({ name }) => `--version ${name}`).join(", ")}`,
    });
  }
  // `planCrdTypes()` names the file so: it has one file for each version of a kind.
  const module = `./${typesFolder}/${group}/${wanted.version}/${wanted.kind.toLowerCase()}_types.ts`;
  return newResource({
    group,
    domain: "",
    version: wanted.version,
    kind: wanted.kind,
    plural: names.plural,
    namespaced: scope === "Namespaced",
    origin: { type: "external", module },
  });
}

function readCrdFile(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  if (existsSync(path)) return atFile(path, () => readFileSync(path, "utf8"));
  throw new TsbuilderError(`file "${name}" not found`, {
    code: "NOT_FOUND",
    hint: "pass a file that contains a CustomResourceDefinition, for example from: kubectl get crd NAME -o yaml > crd.yaml",
  });
}
