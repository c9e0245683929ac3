import { createHash, randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { identityOf, isRunning } from "./process-identity.ts";

/** The process that has a lock, and what it said that it does. */
export interface LockHolder {
  readonly pid: number;
  readonly purpose: string;
}

/** A lock that was taken, with what releases it; or who else has it. */
export type Lock =
  | { readonly release: () => void; readonly heldBy?: undefined }
  | { readonly release?: undefined; readonly heldBy: LockHolder };

/**
 * Takes a lock file, in a folder that is there, unless a running process has it. A process that is killed leaves the
 * file behind; the next one takes it over, and of several that try exactly one. The number of a process that comes
 * again is not mistaken for the process, where the system tells when one started.
 */
export function tryLock(file: string, purpose = ""): Lock {
  const text = `${identityOf(process.pid)}\n${purpose}\n`;
  const draft = `${file}.${randomUUID().slice(0, 8)}`;
  writeFileSync(draft, text);
  try {
    for (;;) {
      if (tryLink(draft, file)) return locked(file, text);
      const found = readText(file);
      if (found === undefined) continue;
      const holder = readHolder(found);
      if (holder) return { heldBy: holder };
      // Who takes over a lock has to hold the right to do so, which is a lock itself.
      const right = tryLock(`${file}.${hash(found)}`, purpose);
      if (right.heldBy) return right;
      try {
        if (readText(file) !== found) continue;
        renameSync(draft, file);
        return locked(file, text);
      } finally {
        right.release();
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function locked(file: string, text: string): Lock {
  let isReleased = false;
  return {
    release() {
      if (!isReleased && readText(file) === text) rmSync(file, { force: true });
      isReleased = true;
    },
  };
}

/** A link is made as a whole, by one of all that try: nobody reads half a lock. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(text: string): LockHolder | undefined {
  const [identity = "", purpose = ""] = text.split("\n");
  const pid = Number.parseInt(identity, 10);
  return isRunning(pid) && identity === identityOf(pid) ? { pid, purpose } : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
