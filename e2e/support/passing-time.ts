import { setTimeout as delay } from "node:timers/promises";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { moveClock, moveClockUntil } from "@tsbuilder/runtime/testing";
import { eventually, type Watched } from "./eventually.ts";

/** How time passes for a scenario. */
export interface PassingTime {
  /** Lets so many milliseconds pass; what they set off is done then. */
  advance(milliseconds: number): Promise<void>;
  /** Lets time pass until a check neither throws nor returns false, or what is watched has ended. */
  eventually<R>(check: () => R | Promise<R>, watched?: Watched): Promise<Exclude<R, false>>;
}

/** The machine's: for clusters and operators that are processes of their own. */
export const machineTime: PassingTime = {
  advance: (milliseconds) => delay(milliseconds),
  eventually,
};

/** Ten minutes on that clock: whatever a controller retries or resyncs in a scenario has come by then. */
const longestWait = 600_000;

/** That of a clock which cluster, operator and test share in one process. */
export function clockTime(clock: FakeClock, isBusy?: () => boolean): PassingTime {
  return {
    advance: (milliseconds) => moveClock(clock, milliseconds, { isBusy }),
    eventually: (check) => moveClockUntil(clock, check, { timeout: longestWait, isBusy }),
  };
}
