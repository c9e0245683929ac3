import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { eventually, moveClock, moveClockUntil } from "@tsbuilder/runtime/testing";

/** How time passes for a scenario. */
export interface PassingTime {
  /** Lets so many milliseconds pass; what they set off is done then. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass until a check neither throws nor returns false. */
  eventually<R>(
    check: () => R | Promise<R>,
    options?: { readonly timeout?: number; readonly interval?: number },
  ): Promise<Exclude<R, false>>;
}

/** The machine's: for clusters and operators that are processes of their own. */
export const machineTime: PassingTime = {
  advance: (milliseconds) => delay(milliseconds),
  eventually,
};

/** That of a clock which cluster, operator and test share in one process. */
export function clockTime(clock: FakeClock, isBusy?: () => boolean): PassingTime {
  return {
    advance: (milliseconds) => moveClock(clock, milliseconds, { isBusy }),
    eventually: (check, { timeout } = {}) => moveClockUntil(clock, check, { timeout, isBusy }),
  };
}
