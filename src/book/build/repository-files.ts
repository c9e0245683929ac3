import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Lists the files of a repository's working tree, sorted, without those that its `.gitignore` names: the files that
 * git knows or would add, or, in a source tree without git, such as an unpacked archive, all others.
 */
export function listRepositoryFiles(root: string): readonly string[] {
  const files = existsSync(join(root, ".git")) ? listByGit(root) : listByWalk(root);
  return files.toSorted();
}

function listByGit(root: string): readonly string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  // A file that was deleted, but not yet in the index, is listed, too.
  return [...new Set(listed.split("\0"))].filter((file) => file !== "" && existsSync(join(root, file)));
}

/** Reads the patterns of each folder's own `.gitignore`, as the scaffolded golden projects have one. */
function listByWalk(root: string, folder = root, ignored: readonly Pattern[] = []): readonly string[] {
  const patterns = [...ignored, ...readPatterns(folder)];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isIgnored(path, entry.isDirectory(), patterns)) return [];
    if (entry.isDirectory()) return listByWalk(root, path, patterns);
    return [relative(root, path).replaceAll(sep, "/")];
  });
}

interface Pattern {
  readonly matches: (path: string) => boolean;
  readonly onlyFolders: boolean;
  readonly isNegated: boolean;
}

function readPatterns(folder: string): readonly Pattern[] {
  const file = join(folder, ".gitignore");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split(/\r?\n/u);
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => readPattern(line, folder));
}

/** A pattern with a slash before its end is of a path from the folder of its file, any other of a name at any depth. */
function readPattern(line: string, folder: string): Pattern {
  const isNegated = line.startsWith("!");
  const text = line.slice(isNegated ? 1 : 0);
  const path = text.replace(/\/$/u, "");
  const anywhere = path.includes("/") ? "" : "(?:.*/)?";
  const glob = path
    .replace(/^\//u, "")
    .replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`)
    .replaceAll(/\*\*\/|\*\*|\*|\?/gu, (wildcard) => wildcards[wildcard]!);
  const pattern = new RegExp(`^${anywhere}${glob}$`, "u");
  return {
    matches: (file) => pattern.test(relative(folder, file).replaceAll(sep, "/")),
    onlyFolders: text.endsWith("/"),
    isNegated,
  };
}

const wildcards: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
};

/** The last pattern that matches decides. */
function isIgnored(path: string, isFolder: boolean, patterns: readonly Pattern[]): boolean {
  const last = patterns.findLast(({ matches, onlyFolders }) => (isFolder || !onlyFolders) && matches(path));
  return last !== undefined && !last.isNegated;
}
