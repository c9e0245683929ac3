import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import { type Clock, cronTimes } from "@tsbuilder/apimachinery/time";
import { CallbackError, stillRuns } from "../callbacks/callbacks.ts";
import { readDuration, waitWithClock } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { Logger } from "../log/logger.ts";
import { runInScope } from "../scope/scope.ts";
import type { Runnable } from "./lifecycle.ts";

/** Work that runs again and again: reports, cleanups, backups. */
export type ScheduledWork = ScheduledRun &
  (
    | {
        /** Run at the start, and then again this long after the end of each run. */
        readonly every: DurationLike;
        readonly cron?: undefined;
      }
    | {
        /** Run at the times of a cron expression in UTC, as a CronJob has: `0 3 * * *`. */
        readonly cron: string;
        readonly every?: undefined;
      }
  );

/** The work itself, without its times. */
export interface ScheduledRun {
  /** For messages. */
  readonly name: string;
  /** Run only while holding the lease, so that one of several replicas does. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /** One run. Runs don't overlap. An error is logged, and the next run takes place at its time. */
  run(context: ScheduledContext): Promise<void> | void;
}

/** The argument of `ScheduledRun.run`. */
export interface ScheduledContext {
  readonly log: Logger;
  /** Aborted when the manager stops, as are client calls. The manager waits for the run to end. */
  readonly signal: AbortSignal;
}

/** Milliseconds after which a run that has not ended is reported. */
const stuckAfter = 300_000;

/** Longer waits are split: Node's timers end at 25 days, and a clock may be set in between. */
const longestWait = 86_400_000;

/** Makes the runnable of scheduled work. Missed times, such as those before the lease was held, are not made up for. */
export function scheduledRunnable(
  work: ScheduledWork,
  clock: Clock,
  report: (error: CallbackError) => void,
): Runnable {
  const { name, needLeaderElection } = work;
  const fail = (error: unknown) =>
    report(new CallbackError("schedule", `the scheduled work "${name}"`, error));
  const { now, next } = readTimes(work, clock);

  async function runOnce(log: Logger, signal: AbortSignal): Promise<void> {
    const cancel = clock.setTimer(() => fail(new Error(stillRuns(stuckAfter))), stuckAfter);
    try {
      await runInScope({ calls: { signal }, logFields: () => ({ schedule: name }) }, () =>
        work.run({ log, signal }),
      );
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
    cancel();
  }

  async function start({ log, signal }: { log: Logger; signal: AbortSignal }): Promise<void> {
    for (let due = work.every === undefined ? next() : now(); !signal.aborted; due = next()) {
      for (let left = due - now(); left > 0 && !signal.aborted; left = due - now())
        await waitWithClock(clock, Math.min(left, longestWait), signal);
      if (!signal.aborted) await runOnce(log, signal);
    }
  }

  return { name: `scheduled work "${name}"`, needLeaderElection, start };
}

/** Returns functions for the current time and the next run's: times of day for cron, monotonic ones for an interval. */
function readTimes({ name, every, cron }: ScheduledWork, clock: Clock) {
  if ((every === undefined) === (cron === undefined))
    throw new TerminalError(`scheduled work "${name}" needs either every or cron`);
  if (every !== undefined) {
    const milliseconds = readDuration(`every of scheduled work "${name}"`, every);
    const now = () => clock.monotonic();
    if (milliseconds > 0) return { now, next: () => now() + milliseconds };
    throw new TerminalError(
      `every of scheduled work "${name}" is ${JSON.stringify(every)}: it must be positive`,
    );
  }
  try {
    const times = cronTimes(cron);
    const now = () => clock.now();
    return { now, next: () => times(now()) };
  } catch (cause) {
    throw new TerminalError(`cron of scheduled work "${name}": ${(cause as Error).message}`, { cause });
  }
}
