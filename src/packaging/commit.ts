import { spawnSync } from "node:child_process";

/** What a build was made of. */
export interface Commit {
  /** In short, by a length that is the same in every clone, with `-dirty` where files were changed since. */
  readonly id: string;
  /** Of the commit, not of the build: two builds of one commit are equal. */
  readonly date: string;
}

/** The build puts the commit here. */
declare const TSBUILDER_COMMIT: Commit | undefined;

/** What the running tsbuilder was built from; unknown when it runs from its sources. */
export const builtFrom = typeof TSBUILDER_COMMIT === "undefined" ? undefined : TSBUILDER_COMMIT;

/** The commit of a checkout; sources without their history have none. */
export function readCommit(root: string): Commit | undefined {
  const [id, date] = git(root, ["log", "-1", "--abbrev=12", "--format=%h %cI"])?.split(" ") ?? [];
  if (id === undefined || date === undefined) return undefined;
  const changed = git(root, ["status", "--porcelain", "--untracked-files=no"]) !== "";
  return { id: changed ? `${id}-dirty` : id, date };
}

/** What git prints; undefined if it fails, or is not there. */
export function git(root: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
