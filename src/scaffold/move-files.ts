import type { OwnedFiles } from "./ownership.ts";
import { isModule, rewriteImports } from "./relative-imports.ts";
import type { Draft } from "./tree.ts";

/** Moves files, and rewrites all relative imports in the project that are affected. */
export function moveFiles(draft: Draft, moves: ReadonlyMap<string, string>, owned: OwnedFiles): void {
  if (moves.size === 0) return;
  const sources = draft.list("").filter(isModule);
  for (const path of new Set([...sources, ...moves.keys()])) {
    const text = draft.read(path);
    if (text === undefined) continue;
    const target = moves.get(path) ?? path;
    const moved = rewriteImports(text, path, target, moves);
    if (target === path && moved === text) continue;
    if (target !== path) draft.remove(path);
    draft.write(target, moved);
    owned.carry(path, target, text, moved);
  }
}
