import type { FakeClock } from "@tsbuilder/apimachinery/time";
import type { Setup } from "@tsbuilder/runtime/testing";
import type { ApiGateway } from "./api-gateway.ts";
import { installInProcess } from "./operator-in-process.ts";
import { type InstalledOperator, installOperator, type OperatorPlace } from "./operator-process.ts";
import { clockTime, machineTime, type PassingTime } from "./passing-time.ts";

/** Where operators run, and which clock they use. */
export interface OperatorHost {
  readonly time: PassingTime;
  /** `setups` are the functions that the project's main calls, if it is not the host's usual project. */
  install(place: OperatorPlace, setups?: readonly Setup[]): Promise<InstalledOperator>;
}

/**
 * How operators run against a cluster: in this process on its clock, or as separate processes if it uses the
 * machine's clock.
 */
export function operatorHost(
  clock: FakeClock | undefined,
  gateway: ApiGateway,
  setups: readonly Setup[],
): OperatorHost {
  if (!clock) return { time: machineTime, install: (place) => installOperator(place) };
  const time = clockTime(clock, () => gateway.isBusy);
  const install: OperatorHost["install"] = (place, own = setups) =>
    installInProcess(place, { clock, time, setups: own });
  return { time, install };
}
