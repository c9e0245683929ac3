// How files get into a project: `applyPlan` writes all or nothing, `refuseOutside` keeps them inside of it, and
// `openStateFolder` opens the folder in which they are staged.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, isAbsolute, join, posix, relative, sep } from "node:path";
import { atFile, isInside } from "../shared/files.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { type Fact, forget, isKnown, remember } from "../shared/known-facts.ts";
import { trace } from "../shared/trace.ts";
import type { FileChange } from "./tree.ts";
import { quoteWord, withPlainLineEnds } from "../shared/text.ts";

/** The folder of tsbuilder's own files in a project. */
export const stateFolder = ".tsbuilder";
const stage = "stage";

/** A staged file to move to a path, or a path to delete. */
interface Step {
  readonly path: string;
  /** The path of the staged file; undefined to delete. */
  readonly staged: string | undefined;
  /** A copy of the file that the step replaces or deletes. */
  readonly old?: string | undefined;
}

/** The steps of a plan that is completely staged. */
interface Journal {
  readonly steps: readonly (Step & { readonly hash?: string })[];
}

/** A staged plan, with the fact outside of the project that tsbuilder staged it for this user. */
interface Staged extends Journal {
  readonly fact: Fact;
}

/**
 * Applies a plan, all or nothing. First all files are staged in `.tsbuilder/`, then a journal marks the staging as
 * complete, and only then files are renamed into place. A process that dies before the journal has changed nothing;
 * after it, the next command completes the plan (`recoverPlan`). There is no fsync: it would take longer than
 * everything else, and version control recovers from a power loss. Throws a TsbuilderError for a path outside of the
 * project, and for a file that changed since it was read.
 */
export function applyPlan(root: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  refuseOutside(
    root,
    changes.map(({ path }) => path),
  );
  recoverPlan(root);
  refuseStaleChanges(root, changes);
  let staged: Staged;
  try {
    openStateFolder(root, stage);
    staged = stageChanges(root, changes);
  } catch (error) {
    removeStage(root);
    removeStateFolder(root);
    throw error;
  }
  completeOrUndo(root, staged);
  for (const { action, path } of changes) trace(`${action} ${join(root, path)}`);
}

/** The state of a command that was interrupted or still runs: staged completely, in part, or not by this user's tsbuilder. */
export type Unfinished = "staged" | "incomplete" | "foreign";

const stageFolder = `${stateFolder}/${stage}`;
const journal = `${stageFolder}/journal.json`;

/** Finds the staging of an interrupted or running command; undefined if there is none. Writes nothing. */
export function findUnfinished(root: string): Unfinished | undefined {
  if (findStateLink(root, stage)?.startsWith(stageFolder)) return "foreign";
  if (!fs.existsSync(join(root, stageFolder))) return undefined;
  if (!fs.existsSync(join(root, journal))) return "incomplete";
  return isKnown(journalFact(root, fs.readFileSync(join(root, journal), "utf8"))) ? "staged" : "foreign";
}

/** The hint for a journal that did not come from this user's tsbuilder. */
export const discardHint = `look at what is in ${stageFolder}, delete that folder, and compare the project with version control: rm -r ${stageFolder}`;

/**
 * Completes a plan that was fully staged before an interruption, or deletes incomplete staging. The caller holds the
 * project's lock, as that of applyPlan does, so that the process that staged it no longer exists. Throws a TsbuilderError
 * for a journal that tsbuilder did not write for this user in this folder, since a clone can contain one.
 */
export function recoverPlan(root: string): "completed" | "undone" | undefined {
  const unfinished = findUnfinished(root);
  if (unfinished === undefined) return undefined;
  if (unfinished === "incomplete") {
    removeStage(root);
    removeStateFolder(root);
    return "undone";
  }
  if (unfinished === "foreign")
    throw foreignPlanError(
      `tsbuilder did not write "${journal}" for you on this machine, or there is no folder to remember it in`,
    );
  const text = fs.readFileSync(join(root, journal), "utf8");
  const { steps } = JSON.parse(text) as Journal;
  refuseOutside(
    root,
    steps.map(({ path }) => path),
  );
  for (const { staged, hash } of steps) {
    if (staged === undefined || !fs.existsSync(join(root, staged))) continue;
    if (hashBytes(fs.readFileSync(join(root, staged))) !== hash)
      throw foreignPlanError(`"${staged}" changed since tsbuilder wrote it`);
  }
  for (const step of steps) completeStep(root, step);
  removeStage(root, journalFact(root, text));
  return "completed";
}

function stageChanges(root: string, changes: readonly FileChange[]): Staged {
  const steps = changes.map(({ path, content }, i) => {
    const target = join(root, path);
    const old = fs.existsSync(target) ? `${stageFolder}/${i}.old` : undefined;
    if (old !== undefined) atFile(target, () => fs.copyFileSync(target, join(root, old)));
    if (content === undefined) return { path, staged: undefined, old };
    const staged = `${stageFolder}/${i}`;
    const mode = old === undefined ? modeOfNewFile(path) : fs.statSync(target).mode;
    atFile(target, () => fs.writeFileSync(join(root, staged), content, { mode }));
    return { path, staged, old, hash: hashBytes(content) };
  });
  const text = JSON.stringify({ steps } satisfies Journal);
  const fact = journalFact(root, text);
  remember(fact);
  writeAtomically(join(root, journal), text);
  return { steps, fact };
}

const modeOfNewFile = (path: string): number => (path.endsWith(".sh") ? 0o755 : 0o644);

const hashBytes = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

const journalFact = (root: string, text: string): Fact => ["journal", fs.realpathSync(root), text];

/** Writes a file completely, or not at all. */
function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.new`;
  fs.writeFileSync(temporary, text);
  fs.renameSync(temporary, path);
}

/** Completes all steps; if one fails, those before it are undone. */
function completeOrUndo(root: string, { steps, fact }: Staged): void {
  const createdFolders: (string | undefined)[] = [];
  try {
    for (const step of steps) createdFolders.push(completeStep(root, step));
  } catch (error) {
    for (const step of steps.toReversed()) undoStep(root, step);
    for (const folder of createdFolders) if (folder !== undefined) removeEmptyBelow(folder);
    removeStage(root, fact);
    throw error;
  }
  removeStage(root, fact);
}

/** Completes a step, unless it is completed already. Returns the topmost folder that it created. */
function completeStep(root: string, { path, staged }: Step): string | undefined {
  const target = join(root, path);
  return atFile(target, () => {
    if (staged === undefined) {
      if (fs.existsSync(target)) fs.unlinkSync(target);
      removeEmptyParents(root, target);
    } else if (fs.existsSync(join(root, staged))) {
      const createdFolder = fs.mkdirSync(dirname(target), { recursive: true });
      // A link remains: its target is replaced.
      fs.renameSync(join(root, staged), fs.existsSync(target) ? fs.realpathSync(target) : target);
      return createdFolder;
    }
    return undefined;
  });
}

/** Undoes a step, if it was completed. A process that is killed here leaves the files that `completeStep` needs. */
function undoStep(root: string, { path, staged, old }: Step): void {
  const target = join(root, path);
  if (staged !== undefined) {
    if (fs.existsSync(join(root, staged))) return;
    const file = fs.realpathSync(target);
    fs.renameSync(file, join(root, staged));
    if (old !== undefined) fs.renameSync(join(root, old), file);
  } else if (old !== undefined && !fs.existsSync(target)) {
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.renameSync(join(root, old), target);
  }
}

/** Removes a folder with the folders in it, if they hold no files. */
function removeEmptyBelow(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyBelow(join(folder, entry.name));
  removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): boolean {
  if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) return false;
  if (fs.existsSync(folder)) fs.rmdirSync(folder);
  return true;
}

function removeEmptyParents(root: string, file: string): void {
  for (let folder = dirname(file); folder.length > root.length; folder = dirname(folder)) {
    if (!removeIfEmpty(folder)) return;
  }
}

/** Deletes the journal first: without its fact, it would count as another user's. */
function removeStage(root: string, fact?: Fact): void {
  fs.rmSync(join(root, journal), { force: true });
  if (fact !== undefined) forget(fact);
  fs.rmSync(join(root, stageFolder), { recursive: true, force: true });
}

const foreignPlanError = (message: string): TsbuilderError =>
  new TsbuilderError(message, { code: "REFUSED", hint: discardHint });

/** Throws if a file of a plan has changed since it was read: the user may have saved it meanwhile. */
function refuseStaleChanges(root: string, changes: readonly FileChange[]): void {
  for (const { path, before, action } of changes) {
    const file = join(root, path);
    const isStale =
      action === "create"
        ? fs.existsSync(file)
        : before !== undefined &&
          (!fs.existsSync(file) ||
            withPlainLineEnds(atFile(file, () => fs.readFileSync(file, "utf8"))) !==
              withPlainLineEnds(before));
    if (!isStale) continue;
    throw new TsbuilderError(`"${path}" changed while the command was running`, {
      code: "FILE_CHANGED",
      hint: "run the command again; nothing was written",
    });
  }
}

/** Refuses paths that lead out of a project, also by a symbolic link, and files that git, npm or direnv would run. */
export function refuseOutside(root: string, paths: Iterable<string>): void {
  const links = new LinkChecker(root);
  for (const path of paths) {
    if (isExecutedByOthers(path)) {
      throw refuse(
        `"${path}" is a file that git, npm or direnv may run, and tsbuilder writes none of them`,
        "choose another path",
      );
    }
    if (isOutside(path)) {
      throw refuse(`"${path}" is outside of the project`, "use a folder in the project, without ..");
    }
    const link = links.findOutward(path);
    if (link !== undefined) {
      throw refuse(
        `"${path}" is outside of the project, because "${link}" is a symbolic link that leads out of it`,
        `replace "${link}" with a folder`,
      );
    }
  }
}

/** Refuses a file of the user's choice if it is in the project, and a link, which a clone may have, leads out of it. */
export function refuseLinkedFile(root: string, file: string): void {
  if (!isInside(root, file) || file === root) return;
  try {
    refuseOutside(root, [relative(root, file).split(sep).join("/")]);
  } catch (error) {
    // The write itself reports a file in the place of a folder.
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
  }
}

function isOutside(path: string): boolean {
  // On Windows a backslash separates folders, too, and NUL ends a path for the system.
  if (/[\\\0]/u.test(path) || isAbsolute(path)) return true;
  const [first] = posix.normalize(path).split("/");
  return first === ".." || first === ".";
}

/** Files and folders whose content git, npm or direnv runs, also by their short and alternative names on Windows. */
const executedNames = /^(?:\.git|git~\d+|node_modules|\.husky|\.envrc)[. ]*(?::.*)?$/u;

/** Returns whether git, npm or direnv may run a file. Folds names as the file systems of macOS and Windows do. */
function isExecutedByOthers(path: string): boolean {
  const names = path
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase()
    .split(/[/\\]/u);
  return names.some((name) => executedNames.test(name));
}

/** Finds links out of a project; checks each folder only once for all files in it. */
class LinkChecker {
  readonly #root: string;
  readonly #known = new Map<string, boolean>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Finds the first component of a path that is a link out of the project. */
  findOutward(path: string): string | undefined {
    const steps = posix.normalize(path).split("/");
    const prefixes = steps.map((_, i) => steps.slice(0, i + 1).join("/"));
    return prefixes.find((prefix) => this.#leadsOut(prefix));
  }

  #leadsOut(prefix: string): boolean {
    const known = this.#known.get(prefix);
    if (known !== undefined) return known;
    const file = join(this.#root, prefix);
    const leadsOut =
      fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
      !staysInside(this.#root, file);
    this.#known.set(prefix, leadsOut);
    return leadsOut;
  }
}

/** Returns whether a link stays in the project; one into `.git` or to nothing, which may come to be, does not. */
function staysInside(root: string, link: string): boolean {
  try {
    const [base, target] = [fs.realpathSync(root), fs.realpathSync(link)];
    return isInside(base, target) && !isExecutedByOthers(relative(base, target));
  } catch {
    return false;
  }
}

function refuse(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}

const ignoreFile = ".gitignore";

const ignoredByGit =
  "# Written by tsbuilder: only its records are part of the project.\n*\n!owned.json\n!plugins.json\n";

/**
 * Creates `.tsbuilder`, or a folder below it, for a command that is about to write there. Throws if there is a link: a
 * clone can contain one that leads anywhere. git ignores all files there except for the records, whatever the project's
 * `.gitignore` says, since kubeconfigs must not be committed.
 */
export function openStateFolder(root: string, name = ""): string {
  const top = join(root, stateFolder);
  const folder = join(top, name);
  refuseStateLinks(root, name);
  fs.mkdirSync(folder, { recursive: true });
  const ignored = join(top, ignoreFile);
  // A clone may contain another `.gitignore`, which hides nothing.
  if (!fs.existsSync(ignored) || fs.readFileSync(ignored, "utf8") !== ignoredByGit)
    fs.writeFileSync(ignored, ignoredByGit);
  return folder;
}

/** Finds a symbolic link: `.tsbuilder` itself, an entry of it, or any entry below the named folder. */
function findStateLink(root: string, name = ""): string | undefined {
  return (
    findLink(root, stateFolder, 1) ??
    (name === "" ? undefined : findLink(root, `${stateFolder}/${name}`, Number.POSITIVE_INFINITY))
  );
}

/** Throws if `.tsbuilder`, an entry of it, or any entry below a folder in it is a symbolic link. */
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
    const names = fs.readdirSync(folder);
    if (names.some((name) => name !== ignoreFile)) return;
    fs.rmSync(join(folder, ignoreFile), { force: true });
    fs.rmdirSync(folder);
  } catch {
    // Another command is using it, or has deleted it already.
  }
}

function findLink(root: string, path: string, levels: number): string | undefined {
  const file = join(root, path);
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return path;
  if (!stats?.isDirectory() || levels === 0) return undefined;
  for (const name of fs.readdirSync(file)) {
    const link = findLink(root, `${path}/${name}`, levels - 1);
    if (link !== undefined) return link;
  }
  return undefined;
}
