import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { moveClock, moveClockUntil } from "@tsbuilder/runtime/testing";
import { eventually, type Watched } from "../eventually.ts";

/** How time passes for a scenario. */
export interface PassingTime {
  /** Lets this many milliseconds pass, and resolves when the work that they trigger is done. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass until a check neither throws nor returns false, or the watched process has ended. */
  eventually<R>(check: () => R | Promise<R>, options?: WaitOptions): Promise<Exclude<R, false>>;
}

/** Options of a wait for a state. */
export interface WaitOptions {
  readonly watched?: Watched | undefined;
  /**
   * The limit in milliseconds on a clock that the test moves, which measures how long the operator itself waits. It
   * has no effect on the machine's clock. Default: a minute.
   */
  readonly within?: number;
}

/** The machine's clock: for clusters and operators that are separate processes. */
export const machineTime: PassingTime = {
  advance: (milliseconds) => delay(milliseconds),
  eventually: (check, { watched } = {}) => eventually(check, watched),
};

/** A clock that cluster, operator and test share in one process. */
export function clockTime(clock: FakeClock, isBusy?: () => boolean): PassingTime {
  return {
    advance: (milliseconds) => moveClock(clock, milliseconds, { isBusy }),
    eventually: (check, { within } = {}) => moveClockUntil(clock, check, { timeout: within, isBusy }),
  };
}
