import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { releaseTags } from "@tsbuilder/apimachinery/semver";

/** A release of a project, whose files are in a folder of their own. */
export interface ReleasedProject {
  /** Its tag, or the git ref or folder that the user named. */
  readonly name: string;
  readonly folder: string;
}

/**
 * Returns the release that the present state of a project follows: a git ref, a folder, or else the newest tag such as `v1.2.0` on
 * the way to the current commit. If nothing has changed since, it is the tag before. Returns undefined if there is none, or if the
 * project is younger.
 */
export function findRelease(root: string, place?: string): ReleasedProject | undefined {
  const folder = place === undefined ? undefined : resolve(root, place);
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return { name: place!, folder };
  const name = place ?? lastTag(root);
  if (name === undefined) return undefined;
  const [top = "", prefix = ""] =
    git(root, ["rev-parse", "--show-toplevel", "--show-prefix"])?.split("\n") ?? [];
  const tree = git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}:${prefix}`]);
  if (tree !== undefined) {
    const readable = `${name.replaceAll(/[^\w.-]/gu, "-")}-${tree.slice(0, 12)}`;
    return { name, folder: checkOut(top, tree, resolve(root, ".tsbuilder/releases", readable)) };
  }
  if (place === undefined) return undefined;
  throw new Error(`"${place}" is neither a folder nor a git ref that has this project`);
}

function lastTag(root: string): string | undefined {
  const [newest, before] = releaseTags(git(root, ["tag", "--merged", "HEAD"])?.split("\n") ?? []);
  if (newest === undefined) return undefined;
  const isUnchanged = git(root, ["diff", "--quiet", newest, "--", "."]) !== undefined;
  return isUnchanged ? before : newest;
}

/**
 * Writes the files of a tree to a folder in the project, where they find its packages. Another process may do the same: the first
 * that has all of them wins.
 */
function checkOut(repository: string, tree: string, folder: string): string {
  if (existsSync(folder)) return folder;
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  const env = { GIT_INDEX_FILE: join(part, ".git-index") };
  const isDone =
    git(repository, ["read-tree", tree], env) !== undefined &&
    git(repository, ["checkout-index", "--all", `--prefix=${part}/`], env) !== undefined;
  if (!isDone) throw new Error(`git can't write the release's files to ${part}`);
  try {
    renameSync(part, folder);
  } catch {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

/** Runs git. Returns undefined if it fails, as it does outside of a repository. */
function git(root: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { status, stdout } = spawnSync("git", args, {
    cwd: root,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", ...env },
    encoding: "utf8",
  });
  return status === 0 ? stdout.trimEnd() : undefined;
}
