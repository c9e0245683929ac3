import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { quoteWord } from "../shared/text.ts";

/** The folder of tsbuilder's own files in a project. */
export const stateFolder = ".tsbuilder";

/**
 * Creates `.tsbuilder`, or a folder below it, for a command that is about to write there. Throws if there is a link: a
 * clone can contain one that leads anywhere. git ignores all files there except for the records, whatever the project's
 * `.gitignore` says, since kubeconfigs must not be committed.
 */
export function openStateFolder(root: string, name = ""): string {
  const all = join(root, stateFolder);
  const folder = join(all, name);
  refuseStateLinks(root, name);
  mkdirSync(folder, { recursive: true });
  const ignored = join(all, ignoreFile);
  // A clone may contain another `.gitignore`, which hides nothing.
  if (!existsSync(ignored) || readFileSync(ignored, "utf8") !== ignoredByGit)
    writeFileSync(ignored, ignoredByGit);
  return folder;
}

/** Finds a symbolic link: `.tsbuilder` itself, an entry of it, or any entry below the named folder. */
export function findStateLink(root: string, name = ""): string | undefined {
  return (
    findLink(root, stateFolder, 1) ??
    (name === "" ? undefined : findLink(root, `${stateFolder}/${name}`, Number.POSITIVE_INFINITY))
  );
}

/** Throws if `findStateLink` finds a link. */
export function refuseStateLinks(root: string, name: string): void {
  const link = findStateLink(root, name);
  if (link === undefined) return;
  throw new TsbuilderError(`"${link}" is a symbolic link, and tsbuilder makes none in "${stateFolder}"`, {
    code: "REFUSED",
    hint: `look where it leads, and delete the link: rm ${quoteWord(link)}`,
  });
}

/** Deletes `.tsbuilder` if it is empty. */
export function removeStateFolder(root: string): void {
  const folder = join(root, stateFolder);
  try {
    const names = readdirSync(folder);
    if (names.some((name) => name !== ignoreFile)) return;
    rmSync(join(folder, ignoreFile), { force: true });
    rmdirSync(folder);
  } catch {
    // Another command is using it, or has deleted it already.
  }
}

const ignoreFile = ".gitignore";
const ignoredByGit =
  "# Written by tsbuilder: only its records are part of the project.\n*\n!owned.json\n!plugins.json\n";

function findLink(root: string, path: string, levels: number): string | undefined {
  const file = join(root, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return path;
  if (!stats?.isDirectory() || levels === 0) return undefined;
  for (const name of readdirSync(file)) {
    const link = findLink(root, `${path}/${name}`, levels - 1);
    if (link !== undefined) return link;
  }
  return undefined;
}
