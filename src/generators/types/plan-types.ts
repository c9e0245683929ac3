import { posix } from "node:path";
import { parseAllDocuments } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";
import type { GeneratedFile } from "../manifests.ts";
import { type CrdDocument, typesFromCrd } from "./types-from-crd.ts";

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
export function planTypes(
  sources: readonly { readonly name: string; readonly text: string }[],
  folder = "src/types",
): TypesPlan {
  const files = sources.flatMap(({ name, text }) => readCrds(name, text).flatMap(typesFromCrd));
  return {
    changes: files.map(({ path, content }) => ({ path: posix.join(folder, path), content })),
    lost: files.flatMap(({ path, lost }) => lost.map((what) => `${path}: ${what}`)),
  };
}

function readCrds(name: string, text: string): CrdDocument[] {
  const documents = parseAllDocuments(text);
  const crds = documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) {
      const [start] = error.linePos ?? [];
      throw new TsbuilderError(`"${name}" is no YAML: ${error.message.split("\n")[0]}`, {
        code: "INVALID_SOURCE",
        hint: "mend the file",
        at: start && { file: name, line: start.line, column: start.col },
      });
    }
    const object = document.toJS() as CrdDocument | null;
    return object?.kind === "CustomResourceDefinition" ? [object] : [];
  });
  if (crds.length > 0) return crds;
  throw new TsbuilderError(`"${name}" holds no CustomResourceDefinition`, {
    code: "INVALID_SOURCE",
    hint: "give a file with CRDs, such as: kubectl get crd NAME -o yaml > crd.yaml",
  });
}
