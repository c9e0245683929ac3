import { TsbuilderError } from "../shared/errors.ts";

/** Says what to do when a cluster could not start. */
export function explainStart(error: unknown): never {
  const { code, path } = error as NodeJS.ErrnoException;
  const advice = ADVICE[code ?? ""];
  if (!advice) throw error;
  const [message, hint] = advice;
  throw new TsbuilderError(path ? `${message}: ${path}` : message, { code: "REFUSED", hint, cause: error });
}

const unwritable = [
  "the cluster's objects can't be kept",
  "choose a folder that you may write to, or keep them in memory: leave --data or --persist away",
] as const;

/** What the system says, what it means here, and what to do. */
const ADVICE: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  EADDRINUSE: ["the cluster's port is taken", "choose another with --port, or leave it away for a free one"],
  ENOSPC: [
    "the disk is full, so the cluster's objects can't be kept",
    "make room, or keep them in memory: leave --data or --persist away",
  ],
  ELOCKED: [
    "another cluster keeps its objects in this folder",
    "stop it, or choose another folder with --data",
  ],
  EACCES: unwritable,
  EROFS: unwritable,
  ENOTDIR: unwritable,
  EEXIST: unwritable,
  ENOENT: unwritable,
};
