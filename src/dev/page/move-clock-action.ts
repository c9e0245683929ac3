import type { OwnCluster } from "../dev-cluster.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";
import { RequestError } from "./request-error.ts";

/** What moving the clock needs. */
export interface ClockParts {
  readonly cluster: Pick<OwnCluster, "clock" | "leases">;
  readonly operator: Pick<OperatorProcess, "moveClock" | "restart">;
  /** Ends a move where it is: the session stops. */
  readonly signal: AbortSignal;
}

const day = 24 * 60 * 60;

/**
 * Moves the clock of the cluster and then that of the operator forward, by at most a day. An operator that leads would lose
 * its Lease, as if it had stood still: it releases it, and is started again.
 */
export function moveClockAction({ cluster: { clock, leases }, operator, signal }: ClockParts): PageAction {
  return async (input) => {
    const seconds = new ActionInput(input).optionalCount("seconds", day);
    if (!seconds) throw new RequestError(400, `"seconds" must be a whole number from 1 to ${day}`);
    const move = async (): Promise<void> => {
      await clock.move(seconds * 1000, signal);
      operator.moveClock(clock.ahead);
    };
    await (leases.held ? operator.restart(move) : move());
    return { ahead: clock.ahead / 1000 };
  };
}
