import { basename, dirname } from "node:path";

/** A file of a data folder can't be read. `hint` says how to start the cluster again. */
export class DamagedJournalError extends Error {
  override readonly name = "DamagedJournalError";
  readonly code = "EDAMAGED";
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly hint: string;

  constructor(path: string, line: number, why: string, hint: string) {
    super(`line ${line} of "${path}" is damaged: ${why}`);
    this.path = path;
    this.line = line;
    this.hint = hint;
  }
}

const otherFolder = "restore the folder from a backup, or start with an empty one";

/** A damaged line of the log: what was written before it can be kept. */
export function damagedLog(path: string, line: number, why: string): DamagedJournalError {
  const name = basename(path);
  const hint =
    line === 1
      ? otherFolder
      : `${otherFolder}, or drop this and all later writes: cd "${dirname(path)}" && head -n ${line - 1} ${name} > ${name}.good && mv ${name}.good ${name}`;
  return new DamagedJournalError(path, line, why, hint);
}

export function damagedSnapshot(path: string, line: number, why: string): DamagedJournalError {
  return new DamagedJournalError(path, line, why, otherFolder);
}
