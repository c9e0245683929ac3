import { posix } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import type { GeneratedFile } from "../manifests-plan.ts";
import { readCrds, type ThirdPartyCrd } from "./read-crds.ts";
import { type TypesFile, typesFromCrd } from "./types-from-crd.ts";

/** Types to write, and what of the CRDs TypeScript cannot express. */
export interface TypesPlan {
  readonly changes: readonly GeneratedFile[];
  /** `apps.example.com/v1/mysql_types.ts: .spec.size: allOf` */
  readonly lost: readonly string[];
}

/**
 * Generates TypeScript types for the CRDs of other projects. Default: the folder `src/types`; in `api/` they would be
 * treated as kinds of this project, and get CRDs.
 */
export async function planTypes(
  sources: readonly { readonly name: string; readonly text: string }[],
  folder = "src/types",
): Promise<TypesPlan> {
  const crds = await Promise.all(sources.map(({ name, text }) => readCrds(name, text)));
  const files = crds.flat().flatMap(typesOf);
  refuseTwins(files);
  return {
    changes: files.map(({ path, content }) => ({ path: posix.join(folder, path), content })),
    lost: files.flatMap(({ path, lost }) => lost.map((what) => `${path}: ${what}`)),
  };
}

/** A schema that is valid for an API server but not expressible in TypeScript has its own error. */
function typesOf(crd: ThirdPartyCrd): TypesFile[] {
  const { kind } = crd.spec.names;
  if (/^[A-Z][A-Za-z0-9]*$/u.test(kind) && !ourNames.has(kind)) return typesFromCrd(crd);
  throw new TsbuilderError(`the kind "${kind}" cannot be used as the name of a type`, {
    code: "INVALID_SOURCE",
    hint: "write its types by hand, under another name: defineKind() takes the kind as a string",
  });
}

/** Names that the files use from the language and the runtime. */
const ourNames = new Set([
  "CustomResource",
  "IntOrString",
  "JSONValue",
  "Omit",
  "Quantity",
  "RawExtension",
  "Record",
  "Time",
]);

/** Kinds that only differ in case, or duplicate CRDs: one file would overwrite the other. */
function refuseTwins(files: readonly TypesFile[]): void {
  const contents = new Map<string, string>();
  for (const { path, content } of files) {
    if ((contents.get(path) ?? content) !== content) {
      throw new TsbuilderError(`two of the CRDs result in the file "${path}"`, {
        code: "INVALID_SOURCE",
        hint: "generate the types of one of them in another folder with --output",
      });
    }
    contents.set(path, content);
  }
}
