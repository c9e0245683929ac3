import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { askGit, git, isRepository } from "../project/git.ts";

/** A file of a tree; without content, it is deleted. */
interface TreeFile {
  readonly path: string;
  readonly content: string | Uint8Array | undefined;
}

/** The content of an upgrade's commits. */
export interface UpgradeToCommit {
  readonly root: string;
  /** The versions of tsbuilder. */
  readonly from: string;
  readonly to: string;
  /** The files that each version scaffolds from `PROJECT`. */
  readonly before: readonly TreeFile[];
  readonly after: readonly TreeFile[];
  /** The changes of the user's files. */
  readonly changes: readonly TreeFile[];
  readonly message: string;
}

/**
 * Commits an upgrade without touching the current branch, and returns the commit. Its parents are the user's last
 * commit, and a commit of the files that the new version scaffolds, whose own parent has those of the old version. So
 * git tells the changes of tsbuilder from the merge with the user's.
 */
export function commitUpgrade({ root, from, to, before, after, changes, message }: UpgradeToCommit): string {
  const head = git(root, ["rev-parse", "HEAD"]);
  const base = commitScaffold(root, from, writeTree(root, undefined, before), []);
  const ours = commitScaffold(root, to, writeTree(root, undefined, after), [base]);
  const tree = writeTree(root, head, changes);
  const trailer = formatTrailer(from, to, readAim(root), tree);
  return commitTree(root, tree, [head, ours], `${message}\n\n${trailer}`);
}

/** Commits the files that a version scaffolds. Reuses the commit of an earlier upgrade if the history has it. */
function commitScaffold(root: string, version: string, tree: string, parents: readonly string[]): string {
  const known = git(root, [
    "log",
    "--no-show-signature",
    "--format=%H %T",
    "--basic-regexp",
    `--grep=^${scaffoldTrailer}: `,
  ])
    .split("\n")
    .find((line) => line.endsWith(` ${tree}`));
  if (known !== undefined) return known.split(" ")[0]!;
  const message = `What tsbuilder ${version} scaffolds\n\n${scaffoldTrailer}: ${version}`;
  return commitTree(root, tree, parents, message);
}

const scaffoldTrailer = "Tsbuilder-Scaffold";

/** Writes a project's files on top of a commit, or of nothing, as a tree of git; returns its id. Leaves disk and index alone. */
function writeTree(root: string, onto: string | undefined, files: readonly TreeFile[]): string {
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-tree-"));
  try {
    const prefix = git(root, ["rev-parse", "--show-prefix"]);
    const folder = join(work, "files", prefix);
    mkdirSync(folder, { recursive: true });
    const env = {
      GIT_DIR: git(root, ["rev-parse", "--absolute-git-dir"]),
      GIT_WORK_TREE: join(work, "files"),
      GIT_INDEX_FILE: join(work, "index"),
    };
    git(folder, ["read-tree", ...(onto === undefined ? ["--empty"] : [onto])], { env });
    for (const { path, content } of files)
      if (content !== undefined) writeWithMode(root, folder, path, content);
    git(folder, ["update-index", "--add", "--remove", "-z", "--stdin"], {
      env,
      input: files.map(({ path }) => `${path}\0`).join(""),
    });
    return git(folder, ["write-tree"], { env });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes a file with its present mode: an executable file stays executable. */
function writeWithMode(root: string, folder: string, path: string, content: string | Uint8Array): void {
  const old = join(root, path);
  const mode = existsSync(old) ? statSync(old).mode : path.endsWith(".sh") ? 0o755 : 0o644;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content, { mode });
}

/** Commits a tree without running hooks, which are meant for the user's own commits. */
function commitTree(root: string, tree: string, parents: readonly string[], message: string): string {
  const sign = askGit(root, ["config", "--type=bool", "commit.gpgSign"]) === "true" ? ["-S"] : [];
  const links = parents.flatMap((parent) => ["-p", parent]);
  return git(root, ["commit-tree", tree, ...links, ...sign, "-F", "-"], { input: `${message}\n` });
}

/** The destination of an upgrade: the project's folder in its repository, and the branch that it is made for. */
interface UpgradeAim {
  readonly folder: string;
  readonly onto: string;
}

/** Returns the destination of an upgrade that starts on the current branch. */
export function readAim(root: string): UpgradeAim {
  const folder = git(root, ["rev-parse", "--show-prefix"]).replace(/\/$/u, "");
  return { folder: folder || ".", onto: currentBranch(root) ?? "HEAD" };
}

/** Returns the current branch; undefined if HEAD is detached. */
export function currentBranch(root: string): string | undefined {
  return askGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
}

/** Returns whether two upgrades have the same destination. */
export const isSameAim = (a: UpgradeAim | undefined, b: UpgradeAim): boolean =>
  a?.folder === b.folder && a.onto === b.onto;

const upgradeTrailer = "Tsbuilder-Upgrade";

/** Formats the last line of an upgrade's message, by which a later upgrade recognizes it. */
function formatTrailer(from: string, to: string, { folder, onto }: UpgradeAim, tree: string): string {
  return `${upgradeTrailer}: ${from} to ${to} of ${folder} onto ${onto}, ${tree}`;
}

const trailerPattern = new RegExp(String.raw`^${upgradeTrailer}: \S+ to \S+ of (.+) onto (\S+), (\S+)$`, "u");

/** Returns the destination of an upgrade by tsbuilder; undefined for other commits, and for one that was amended. */
export function aimOfCommit(root: string, commit: string): UpgradeAim | undefined {
  const show = ["show", "--no-patch", "--no-show-signature", "--format=%T%n%B", commit];
  const [tree, ...message] = git(root, show).split("\n");
  const found = message.map((line) => trailerPattern.exec(line)).find((match) => match?.[3] === tree);
  return found ? { folder: found[1]!, onto: found[2]! } : undefined;
}

/** Returns whether a branch has an upgrade by tsbuilder, maybe below commits of others. */
export function hasUpgrade(root: string, branch: string): boolean {
  const log = ["log", "--first-parent", "--max-count=1", "--no-show-signature", "--format=%H"];
  return git(root, [...log, "--basic-regexp", `--grep=^${upgradeTrailer}: `, branch]) !== "";
}

/** Returns whether two commits are the same upgrade of the same commit. */
export function isSameUpgrade(root: string, a: string, b: string): boolean {
  const readIds = (commit: string): string => git(root, ["rev-parse", `${commit}^{tree}`, `${commit}^1`]);
  return readIds(a) === readIds(b);
}

/** Refuses uncommitted changes, which could not be told from the upgrade's, and a folder without version control. */
export function requireCleanTree(root: string): void {
  if (!isRepository(root) || askGit(root, ["rev-parse", "--verify", "--quiet", "HEAD"]) === undefined) {
    throw new TsbuilderError("the project has no commit in git", {
      code: "REFUSED",
      hint: "commit it first: git init && git add . && git commit -m 'Scaffold the project'",
    });
  }
  const changed = git(root, [
    "status",
    "--porcelain",
    "--untracked-files=normal",
    "--",
    ".",
    ":(exclude).tsbuilder/lock",
  ]);
  if (changed === "") return;
  const [first = "", ...others] = changed.split("\n");
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new TsbuilderError(`the project has changes that are not committed: ${first.slice(3)}${rest}`, {
    code: "REFUSED",
    hint: "commit them, or put them aside: git stash --include-untracked",
  });
}
