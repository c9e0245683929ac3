import { TsbuilderError } from "../../shared/errors.ts";
import type { OwnCluster } from "../dev-cluster.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { sessionEnds } from "../session-ends.ts";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";
import { RequestError } from "./request-error.ts";

/** What moving the clock needs. */
export interface ClockParts {
  readonly cluster: Pick<OwnCluster, "clock" | "leases">;
  readonly operator: Pick<OperatorProcess, "moveClock" | "restart">;
  /** Does something to the operator when no reload runs; the signal is aborted once a reload waits for it. */
  readonly between: <T>(work: (awaited: AbortSignal) => Promise<T>) => Promise<T>;
  /** Ends a move where it is: the session stops. */
  readonly signal: AbortSignal;
  /** How long a move may take; in milliseconds. */
  readonly patience?: number | undefined;
}

const day = 24 * 60 * 60;
const patienceMilliseconds = 60_000;

/**
 * Moves the clock of the cluster and then that of the operator forward, by at most a day. An operator that leads would lose
 * its Lease, as if it had stood still: it releases it, and is started again. It runs while the cluster goes through that
 * time, which may call its webhooks.
 */
export function moveClockAction({
  cluster: { clock, leases },
  operator,
  between,
  signal,
  patience = patienceMilliseconds,
}: ClockParts): PageAction {
  const move = async (seconds: number, awaited: AbortSignal): Promise<void> => {
    const before = clock.ahead;
    const limit = AbortSignal.timeout(patience);
    await clock.move(seconds * 1000, AbortSignal.any([signal, awaited, limit]));
    const moved = Math.floor((clock.ahead - before) / 1000);
    if (signal.aborted) throw endedBy(sessionEnds(), moved, seconds);
    const follow = async (): Promise<void> => operator.moveClock(clock.ahead);
    await (leases.held ? operator.restart(follow) : follow());
    if (moved < seconds) throw endedBy(limit.aborted ? tookTooLong(patience) : waitedFor(), moved, seconds);
  };
  return async (input) => {
    const seconds = new ActionInput(input).optionalCount("seconds", day);
    if (!seconds) throw new RequestError(400, `"seconds" must be a whole number from 1 to ${day}`);
    await between((awaited) => move(seconds, awaited));
    return { ahead: clock.ahead / 1000 };
  };
}

function endedBy({ code, message, hint }: TsbuilderError, moved: number, wanted: number): TsbuilderError {
  return new TsbuilderError(`moved ${span(moved)} of ${span(wanted)}: ${message}`, { code, hint });
}

function tookTooLong(patience: number): TsbuilderError {
  return new TsbuilderError(`it took more than ${patience / 1000} s`, {
    code: "REFUSED",
    hint: "move the clock again for the rest; if the cluster has to wait for a webhook, see how long it takes to answer",
  });
}

function waitedFor(): TsbuilderError {
  return new TsbuilderError("a reload, or something else on the page, waited for it", {
    code: "REFUSED",
    hint: "move the clock again for the rest",
  });
}

/** In the largest unit of which there is one. */
function span(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor((seconds / size) * 10) / 10} ${unit}`;
}

const units = [
  ["h", 3600],
  ["min", 60],
] as const;
