import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import type { ConfigObject } from "./dev-objects.ts";

/** Reads the objects of all YAML files of one of the project's folders; kustomize's own files are none. */
export function readConfig(project: string, folder: string): ConfigObject[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith("kustom"))
    .toSorted()
    .flatMap((name) => readObjects(project, `${folder}/${name}`));
}

function readObjects(project: string, file: string): ConfigObject[] {
  return parseAllDocuments(readFileSync(join(project, file), "utf8")).flatMap((document) => {
    const [problem] = document.errors;
    if (problem) {
      const { line, col } = problem.linePos?.[0] ?? { line: 1, col: 1 };
      throw new TsbuilderError(problem.message.split("\n")[0]!, {
        code: "INVALID_SOURCE",
        hint: "mend the YAML; it is read again when it is saved",
        at: { file, line, column: col },
      });
    }
    const object = document.toJS() as ConfigObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}
