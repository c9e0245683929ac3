import { posix } from "node:path";

const module = /\.[cm]?[jt]sx?$/u;

/** Returns whether a file may have imports. */
export function isModule(path: string): boolean {
  return module.test(path);
}

/** The files of the project that a module imports. */
export function relativeImports(text: string, path: string): string[] {
  if (!isModule(path)) return [];
  return [...text.matchAll(specifierPattern)].map(([, , , specifier]) =>
    posix.join(posix.dirname(path), specifier!),
  );
}

/** Rewrites the relative import specifiers of a module for its new path and those of other moved files. */
export function rewriteImports(
  text: string,
  from: string,
  to: string,
  moves: ReadonlyMap<string, string>,
): string {
  if (!isModule(from)) return text;
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
