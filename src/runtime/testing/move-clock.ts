import { type FakeClock, settled } from "@tsbuilder/apimachinery/time";
import type { EventuallyOptions } from "./eventually.ts";

/** Options for moving a clock. */
export interface MoveOptions {
  /** Reports work that the event loop of this process can't see, such as a request that another process answers. */
  readonly isBusy?: (() => boolean) | undefined;
}

/** Milliseconds without work that are skipped rather than passed: the longest upkeep, that of watches, is due more often. */
const longIdle = 3_600_000;

/**
 * Moves a clock that a manager and a cluster in this process share, from timer to timer. A timer fires, and the call
 * resolves, when everything that the last timer triggered is finished, including requests and watch events. If nothing is due
 * for more than an hour, watches don't time out meanwhile: idle months take no longer than idle minutes.
 */
export async function moveClock(
  clock: FakeClock,
  milliseconds: number,
  { isBusy }: MoveOptions = {},
): Promise<void> {
  const end = clock.monotonic() + milliseconds;
  await settled(isBusy);
  for (;;) {
    const idle = Math.min(clock.untilNextWork() ?? Infinity, end - clock.monotonic());
    if (idle > longIdle) clock.skip(idle - 1);
    const next = clock.untilNextTimer;
    if (next === undefined || clock.monotonic() + next > end) break;
    await clock.advance(next);
    await settled(isBusy);
  }
  await clock.advance(end - clock.monotonic());
  await settled(isBusy);
}

/**
 * Moves a clock from timer to timer until a check neither throws nor returns false, and resolves with its result. Rejects
 * with the last error of the check after the timeout, which is measured by that clock. Default: a minute.
 */
export async function moveClockUntil<R>(
  clock: FakeClock,
  check: () => R | Promise<R>,
  { timeout = 60_000, isBusy }: Pick<EventuallyOptions, "timeout"> & MoveOptions = {},
): Promise<Exclude<R, false>> {
  const end = clock.monotonic() + timeout;
  for (;;) {
    await settled(isBusy);
    let failure: unknown;
    try {
      const result = await check();
      if (result !== false) return result as Exclude<R, false>;
      failure = new Error(`the check still gave false after ${timeout} ms on the test's clock`);
    } catch (error) {
      failure = error;
    }
    const next = clock.untilNextTimer;
    if (next === undefined || clock.monotonic() + next > end) throw failure;
    await clock.advance(next);
  }
}
