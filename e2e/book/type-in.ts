import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run, type Shell } from "../support/shell.ts";

/** A shell whose folder commands may change. */
export type MovingShell = Shell & { folder: string };

/** Runs a command line as if it were typed, and goes where it ended; returns what it printed. `notes` is for a file. */
export async function typeIn(shell: MovingShell, command: string, notes: string): Promise<string> {
  const ended = join(notes, "pwd");
  const reader = { ...shell, env: { ...identity, ...shell.env } };
  const { stdout, stderr } = await run(reader, "bash", "-c", typed, "bash", command, ended);
  shell.folder = readFileSync(ended, "utf8").trimEnd();
  return stdout + stderr;
}

/** The author of commits: readers have told git their name before. */
const identity = {
  GIT_AUTHOR_NAME: "reader",
  GIT_AUTHOR_EMAIL: "reader@example.com",
  GIT_COMMITTER_NAME: "reader",
  GIT_COMMITTER_EMAIL: "reader@example.com",
};

/** Runs a command, and says in which folder it ended. */
const typed = 'eval "$1"; code=$?; pwd > "$2"; exit $code';
