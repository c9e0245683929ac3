// The lock of a project: commands that write hold it while they read, plan and write.

import { join } from "node:path";
import { type LockHolder, readLock, tryLock } from "@tsbuilder/apimachinery/lock";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { openStateFolder, removeStateFolder, stateFolder } from "../../scaffold/apply.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { atFile } from "../../shared/files.ts";

/** The command that wants to change a project. */
interface Caller {
  /** The command as typed after `tsbuilder`. */
  readonly name: string;
  readonly note: (text: string) => void;
  readonly clock?: Clock;
}

/** Does work while holding the project's lock. Throws if another command holds the lock for more than half a minute. */
export async function withProjectLock<T>(root: string, caller: Caller, work: () => Promise<T>): Promise<T> {
  const release = await waitForLock(root, caller);
  try {
    return await work();
  } finally {
    release();
  }
}

/** How long a command waits for one holder, in milliseconds. */
const longestWait = 30_000;

/** A shorter wait is not reported. */
const silentWait = 1_000;
const retryInterval = 30;

async function waitForLock(root: string, { name, note, clock = systemClock }: Caller): Promise<() => void> {
  let waitsFor: { readonly pid: number; readonly since: number; isReported: boolean } | undefined;
  for (;;) {
    const lock = tryProjectLock(root, `tsbuilder ${name}`);
    if (!lock.heldBy) return lock.release;
    const { pid } = lock.heldBy;
    if (waitsFor?.pid !== pid) waitsFor = { pid, since: clock.monotonic(), isReported: false };
    const waited = clock.monotonic() - waitsFor.since;
    if (waited >= longestWait) throw heldError(lock.heldBy);
    if (waited >= silentWait && !waitsFor.isReported) {
      note(`Waiting for ${describeHolder(lock.heldBy)}.`);
      waitsFor.isReported = true;
    }
    await new Promise<void>((resolve) => void clock.setTimer(resolve, retryInterval));
  }
}

/** Runs short work under the project's lock; throws if another command holds it. */
export function withFreeLock<T>(root: string, work: () => T): T {
  const lock = tryProjectLock(root, "");
  if (lock.heldBy) throw heldError(lock.heldBy);
  try {
    return work();
  } finally {
    lock.release();
  }
}

const lockFile = "lock";

function tryProjectLock(root: string, purpose: string): ReturnType<typeof tryLock> {
  for (;;) {
    try {
      const file = join(openStateFolder(root), lockFile);
      const lock = atFile(file, () => tryLock(file, purpose));
      if (lock.heldBy) return lock;
      return {
        release() {
          lock.release();
          removeStateFolder(root);
        },
      };
    } catch (error) {
      // A command that failed before there was a project removed its folder.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function heldError(holder: LockHolder): TsbuilderError {
  return new TsbuilderError(`another command is changing this project: ${describeHolder(holder)}`, {
    code: "REFUSED",
    hint: `wait for it to finish, or stop it: kill ${holder.pid}; its changes are then completed or rolled back`,
  });
}

/** The command that holds the project's lock, if one is running. */
export function findLockHolder(root: string): string | undefined {
  const holder = readLock(join(root, stateFolder, lockFile));
  return holder && describeHolder(holder);
}

function describeHolder({ pid, purpose }: LockHolder): string {
  return `${purpose || "tsbuilder"} (process ${pid})`;
}
