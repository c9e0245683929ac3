import { posix } from "node:path";
import type { OwnedFiles } from "./ownership.ts";
import type { Draft } from "./tree.ts";

/** Moves files, and rewrites all relative imports in the project that are affected. */
export function moveFiles(draft: Draft, moves: ReadonlyMap<string, string>, owned: OwnedFiles): void {
  if (moves.size === 0) return;
  const sources = draft.list("").filter((path) => module.test(path));
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

const module = /\.[cm]?[jt]sx?$/u;

/** Rewrites the relative import specifiers of a module for its new path and those of other moved files. */
export function rewriteImports(
  text: string,
  from: string,
  to: string,
  moves: ReadonlyMap<string, string>,
): string {
  if (!module.test(from)) return text;
  return text.replaceAll(specifierPattern, (whole, before: string, quote: string, specifier: string) => {
    const resolved = posix.join(posix.dirname(from), specifier);
    const target = moves.get(resolved) ?? resolved;
    if (target === resolved && posix.dirname(from) === posix.dirname(to)) return whole;
    const relative = posix.relative(posix.dirname(to), target);
    return `${before}${quote}${relative.startsWith(".") ? relative : `./${relative}`}${quote}`;
  });
}

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, `vi.mock("./x.ts")`: a relative import specifier. */
const specifierPattern = /(\bfrom\s*|\bimport\s*\(?\s*|\bvi\.mock\(\s*)(["'])(\.\.?\/[^"'\n]+)\2/gu;
