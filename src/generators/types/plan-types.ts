import { posix } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import type { GeneratedFile } from "../manifests.ts";
import { readCrds, type ThirdPartyCrd } from "./read-crds.ts";
import { type TypesFile, typesFromCrd } from "./types-from-crd.ts";

/** Types to write, and what of the CRDs no type can say. */
export interface TypesPlan {
  readonly changes: readonly GeneratedFile[];
  /** `apps.example.com/v1/mysql_types.ts: .spec.size: allOf` */
  readonly lost: readonly string[];
}

/**
 * Computes TypeScript types for the CRDs of other projects. They go to a folder of their own, `src/types` unless said
 * otherwise: below `api/` they would be taken for kinds of this project, and get CRDs.
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

/** What an API server takes and TypeScript can't say is an error of its own. */
function typesOf(crd: ThirdPartyCrd): TypesFile[] {
  const { kind } = crd.spec.names;
  if (/^[A-Z][A-Za-z0-9]*$/u.test(kind) && !ourNames.has(kind)) return typesFromCrd(crd);
  throw new TsbuilderError(`the kind "${kind}" can't be the name of a type`, {
    code: "INVALID_SOURCE",
    hint: "write its types by hand, under another name: defineKind() takes the kind as a string",
  });
}

/** What the files take from the language and from the runtime. */
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

/** Kinds that differ in capitals alone, or a CRD that is there twice: one file would take the other's place. */
function refuseTwins(files: readonly TypesFile[]): void {
  const contents = new Map<string, string>();
  for (const { path, content } of files) {
    if ((contents.get(path) ?? content) !== content) {
      throw new TsbuilderError(`two of the CRDs want the file "${path}"`, {
        code: "INVALID_SOURCE",
        hint: "make types of one of them, or of the other with --output",
      });
    }
    contents.set(path, content);
  }
}
