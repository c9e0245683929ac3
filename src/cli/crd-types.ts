import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { planTypes } from "../generators/types/plan-types.ts";
import { readCrds } from "../generators/types/read-crds.ts";
import { newResource, type Resource } from "../project/project.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** Where types of other projects' kinds go: below `api/` they would be taken for our own. */
const FOLDER = "src/types";

/** Types made from files with definitions, and what of them no type can say. */
export async function planCrdTypes(
  cwd: string,
  files: readonly string[],
  folder: string = FOLDER,
): Promise<{ files: ReadonlyMap<string, string>; notes: string[] }> {
  const { changes, lost } = await planTypes(
    files.map((name) => ({ name, text: readCrdFile(cwd, name) })),
    folder,
  );
  return {
    files: new Map(changes.map(({ path, content }) => [path, content ?? ""])),
    notes: lost.map((what) => `not in the types: ${what}`),
  };
}

/** The kind that a file with a definition defines, in the version that is wanted. */
export async function resourceFromCrd(
  cwd: string,
  file: string,
  wanted: { readonly version: string; readonly kind: string },
): Promise<Resource> {
  const crds = await readCrds(file, readCrdFile(cwd, file));
  const kinds = crds.map(({ spec }) => spec.names.kind);
  const crd = crds.find(({ spec }) => spec.names.kind === wanted.kind);
  if (!crd) {
    throw new TsbuilderError(`"${file}" has no definition of the kind "${wanted.kind}"`, {
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
  const path = `./${FOLDER}/${group}/${wanted.version}/${wanted.kind.toLowerCase()}_types.ts`;
  return newResource({
    group,
    domain: "",
    version: wanted.version,
    kind: wanted.kind,
    plural: names.plural,
    namespaced: scope === "Namespaced",
    origin: { type: "external", module: path },
  });
}

function readCrdFile(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw new TsbuilderError(`the file "${name}" is not there`, {
    code: "NOT_FOUND",
    hint: "name a file with a CustomResourceDefinition, such as: kubectl get crd NAME -o yaml > crd.yaml",
  });
}
