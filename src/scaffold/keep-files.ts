import { relativeImports } from "./relative-imports.ts";
import type { Tree } from "./tree.ts";

/**
 * The files to keep for the user, each with the note that says why: those that were edited, and of the others what they
 * import, or the project would no longer compile.
 */
export function keepFiles(
  tree: Tree,
  edited: readonly string[],
  candidates: ReadonlySet<string>,
): Map<string, string> {
  const kept = new Map(edited.map((path) => [path, `kept "${path}", which you edited`]));
  // A Map also visits what is added on the way.
  for (const path of kept.keys()) {
    for (const imported of relativeImports(tree.read(path) ?? "", path)) {
      if (candidates.has(imported) && !kept.has(imported))
        kept.set(imported, `kept "${imported}", which "${path}" imports`);
    }
  }
  return kept;
}
