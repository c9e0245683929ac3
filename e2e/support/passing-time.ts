import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { moveClock, moveClockUntil } from "@tsbuilder/runtime/testing";
import { eventually, type Watched } from "./eventually.ts";

/** How time passes for a scenario. */
export interface PassingTime {
  /** Lets so many milliseconds pass; what they set off is done then. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass until a check neither throws nor returns false, or what is watched has ended. */
  eventually<R>(check: () => R | Promise<R>, options?: WaitOptions): Promise<Exclude<R, false>>;
}

/** Options of a wait for a state. */
export interface WaitOptions {
  readonly watched?: Watched | undefined;
  /**
   * Within how many milliseconds of a clock that the test moves the state has to come: what the operator waits for
   * itself is measured so. On the machine's clock it has no effect. Default: a minute.
   */
  readonly within?: number;
}

/** The machine's: for clusters and operators that are processes of their own. */
export const machineTime: PassingTime = {
  advance: (milliseconds) => delay(milliseconds),
  eventually: (check, { watched } = {}) => eventually(check, watched),
};

/** That of a clock which cluster, operator and test share in one process. */
export function clockTime(clock: FakeClock, isBusy?: () => boolean): PassingTime {
  return {
    advance: (milliseconds) => moveClock(clock, milliseconds, { isBusy }),
    eventually: (check, { within } = {}) => moveClockUntil(clock, check, { timeout: within, isBusy }),
  };
}
