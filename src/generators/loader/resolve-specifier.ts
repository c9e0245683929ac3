import { posix } from "node:path";
import type { SourceTree } from "../source-tree.ts";

/**
 * Resolves an import to a source file: a file of the project, or the type declarations of an installed package.
 * Undefined if there is none, as before `npm install`.
 */
export function resolveSpecifier(specifier: string, from: string, tree: SourceTree): string | undefined {
  if (specifier.startsWith(".")) {
    return firstFile(posix.normalize(posix.join(posix.dirname(from), specifier)), tree);
  }
  if (specifier.startsWith("#")) return resolveInternal(specifier, tree);
  return resolvePackage(specifier, from, tree);
}

/** Tries the same paths as TypeScript: `.js` also means `.ts`, no extension any of them, and a folder its index. */
function firstFile(path: string, tree: SourceTree): string | undefined {
  const stem = path.replace(/\.[cm]?jsx?$/u, "");
  const candidates = [
    path,
    ...(/\.[cm]?tsx?$/u.test(path) ? [] : [`${stem}.ts`, `${stem}.mts`, `${stem}.tsx`, `${stem}.d.ts`]),
    `${path}/index.ts`,
    `${path}/index.d.ts`,
  ];
  return candidates.find((file) => /\.[cm]?tsx?$/u.test(file) && tree.read(file) !== undefined);
}

function resolveInternal(specifier: string, tree: SourceTree): string | undefined {
  const target = matchExports(readJson("package.json", tree)?.["imports"], specifier);
  return target === undefined ? undefined : firstFile(posix.normalize(target), tree);
}

function resolvePackage(specifier: string, from: string, tree: SourceTree): string | undefined {
  const depth = specifier.startsWith("@") ? 2 : 1;
  const name = specifier.split("/").slice(0, depth).join("/");
  const subpath = `.${specifier.slice(name.length)}`;
  for (const folder of packageFolders(name, from)) {
    const manifest = readJson(`${folder}/package.json`, tree);
    if (!manifest) continue;
    const exported = matchExports(manifest["exports"], subpath);
    const main = subpath === "." ? (manifest["types"] ?? manifest["typings"] ?? manifest["main"]) : subpath;
    const target = exported ?? (typeof main === "string" ? main : "index.d.ts");
    const path = posix.join(folder, target);
    return firstFile(path, tree) ?? firstFile(path.replace(/\.[cm]?js$/u, ".d.ts"), tree);
  }
  return undefined;
}

/** Looks for a package in the importing file's folder and its parents, like Node. */
function packageFolders(name: string, from: string): string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
    if (posix.basename(folder) !== "node_modules") folders.push(posix.join(folder, "node_modules", name));
    if (folder === "." || folder === "/") return folders;
  }
}

/** Selects the entry of an `exports` or `imports` map, preferring the condition `types`. */
function matchExports(map: unknown, subpath: string): string | undefined {
  if (typeof map === "string") return subpath === "." ? map : undefined;
  if (typeof map !== "object" || map === null) return undefined;
  const entries = map as Record<string, unknown>;
  const isSubpathMap = Object.keys(entries).some((key) => key.startsWith(".") || key.startsWith("#"));
  if (!isSubpathMap) return subpath === "." ? pickCondition(entries) : undefined;
  if (entries[subpath] !== undefined) return pickCondition(entries[subpath]);
  for (const [pattern, target] of Object.entries(entries)) {
    const [before = "", after] = pattern.split("*");
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    return pickCondition(target)?.replace("*", subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

function pickCondition(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (typeof target !== "object" || target === null) return undefined;
  const conditions = target as Record<string, unknown>;
  for (const condition of ["types", "import", "node", "default", "require"]) {
    const picked = pickCondition(conditions[condition]);
    if (picked !== undefined) return picked;
  }
  return undefined;
}

function readJson(path: string, tree: SourceTree): Record<string, unknown> | undefined {
  const text = tree.read(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
