import { spawnSync } from "node:child_process";

/** The commit that a build was made from. */
export interface Commit {
  /** The short id, of the same length in every clone, with `-dirty` if files differ from the commit. */
  readonly id: string;
  /** The date of the commit, and not of the build: two builds of one commit are equal. */
  readonly date: string;
}

/** The build replaces this by the commit. */
declare const TSBUILDER_COMMIT: Commit | undefined;

/** The commit that the running tsbuilder was built from; undefined when it runs from its sources. */
export const builtFrom = typeof TSBUILDER_COMMIT === "undefined" ? undefined : TSBUILDER_COMMIT;

/** Reads the commit of a checkout. Sources without git have none. */
export function readCommit(root: string): Commit | undefined {
  const [id, date] = git(root, ["log", "-1", "--abbrev=12", "--format=%h %cI"])?.split(" ") ?? [];
  if (id === undefined || date === undefined) return undefined;
  const changed = git(root, ["status", "--porcelain", "--untracked-files=no"]) !== "";
  return { id: changed ? `${id}-dirty` : id, date };
}

/** Runs git and returns its output; undefined if it fails, or is not installed. */
export function git(root: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
