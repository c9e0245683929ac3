import { execFileSync } from "node:child_process";
import { repository } from "../support/source-imports.ts";

/** Paths below the repository. */
export interface ChangedFiles {
  /** New or written. */
  readonly present: readonly string[];
  readonly deleted: readonly string[];
}

/** The differences from a commit, untracked files included. */
export function readChangedFiles(since: string, folder = repository): ChangedFiles {
  const list = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8" }).split("\0").filter(Boolean);
  const untracked = list("ls-files", "-z", "--others", "--exclude-standard");
  // Without rename detection, a moved file is one deleted and one added file.
  const diff = ["diff", "-z", "--name-only", "--no-renames"];
  return {
    present: [...list(...diff, "--diff-filter=d", since), ...untracked].sort(),
    deleted: list(...diff, "--diff-filter=D", since),
  };
}
