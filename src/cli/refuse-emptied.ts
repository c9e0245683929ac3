import type { Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * A tree for commands that generate again and again: it refuses to read a source that had content before and is empty
 * now. Most likely it is being saved, and without its types the generators would delete CRDs and RBAC rules.
 */
export function refuseEmptied(tree: Tree): Tree {
  const hadContent = new Set<string>();
  return {
    ...tree,
    read(path) {
      const text = tree.read(path);
      if (text) hadContent.add(path);
      if (text !== "" || !path.endsWith(".ts") || !hadContent.has(path)) return text;
      throw new TsbuilderError(`"${path}" is empty`, {
        code: "INVALID_SOURCE",
        hint: "save its content, or delete the file: until then, its manifests are kept",
      });
    },
  };
}
