import { createHash, randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** The process that holds a lock, and the purpose for which it acquired it. */
export interface LockHolder {
  readonly pid: number;
  readonly purpose: string;
}

/** An acquired lock with its `release` function, or the current holder. */
export type Lock =
  | { readonly release: () => void; readonly heldBy?: undefined }
  | { readonly release?: undefined; readonly heldBy: LockHolder };

/**
 * Acquires a lock file in an existing folder, unless a running process holds it. If its holder was killed, exactly one
 * of the processes that try takes it over. On Linux, another process with the same PID is not mistaken for the holder.
 */
export function tryLock(file: string, purpose = ""): Lock {
  const text = `${identifyProcess(process.pid)}\n${purpose}\n`;
  const draft = `${file}.${randomUUID().slice(0, 8)}`;
  writeFileSync(draft, text);
  try {
    for (;;) {
      if (tryLink(draft, file)) return acquire(file, text);
      const content = readText(file);
      if (content === undefined) continue;
      const holder = readHolder(content);
      if (holder) return { heldBy: holder };
      // The right to take over this stale lock is a lock, too.
      const takeover = tryLock(`${file}.${hash(content)}`, purpose);
      if (takeover.heldBy) return takeover;
      try {
        if (readText(file) !== content) continue;
        renameSync(draft, file);
        return acquire(file, text);
      } finally {
        takeover.release();
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates a file. link() is atomic: exactly one process creates it, and no process reads a partial one. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the lock; releasing it twice, or after another process took it over, does nothing. */
function acquire(file: string, text: string): Lock {
  let isReleased = false;
  return {
    release() {
      if (!isReleased && readText(file) === text) rmSync(file, { force: true });
      isReleased = true;
    },
  };
}

/** Returns the process that wrote a lock file, if it still runs. */
function readHolder(text: string): LockHolder | undefined {
  const [identity = "", purpose = ""] = text.split("\n");
  const pid = Number.parseInt(identity, 10);
  return isRunning(pid) && identity === identifyProcess(pid) ? { pid, purpose } : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the running process that holds a lock file, if any. */
export function readLock(file: string): LockHolder | undefined {
  const text = readText(file);
  return text === undefined ? undefined : readHolder(text);
}

/**
 * PIDs are reused; a PID with the process's start time and the boot that it counts from (known on Linux only) is unique.
 * The boot's id is random, so that a repository can't contain the lock of a process that runs wherever it is cloned.
 */
function identifyProcess(pid: number): string {
  const bootId = readProcFile("/proc/sys/kernel/random/boot_id").trim();
  return `${pid} ${readProcessStatus(pid)[19] ?? ""} ${bootId}`;
}

/** Returns true if a process is running. A zombie is not. */
function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || readProcessStatus(pid)[0] === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns the fields of `/proc/PID/stat` after the process's name: the first is its state, the twentieth its start time. */
function readProcessStatus(pid: number): string[] {
  const text = readProcFile(`/proc/${pid}/stat`);
  return text === "" ? [] : text.split(") ").at(-1)!.split(" ");
}

function readProcFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
