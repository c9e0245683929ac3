import { onAbort } from "../clock/on-abort.ts";
import type { Duration } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { CallbackError, stillRuns } from "../callbacks/callback-error.ts";
import type { Source } from "./source.ts";

/** What is asked again and again. */
export interface IntervalOptions<R> {
  /** Time between the end of one round and the next. */
  readonly every: Duration;
  /** Finds what is to be reconciled now: by asking a cloud, or a constant list. What it throws is logged. */
  readonly requests: (signal: AbortSignal) => readonly R[] | Promise<readonly R[]>;
  readonly name?: string | undefined;
}

/** Asks for reconciles from time to time, for worlds that tell nobody when they change. The first round is at the start. */
export function intervalSource<R>({
  every,
  requests,
  name = `every ${every}`,
}: IntervalOptions<R>): Source<R> {
  const milliseconds = parseDuration(every);
  return {
    name,
    async start(enqueue, { signal, clock, stuckAfter, report }) {
      let cancel = () => {};
      onAbort(signal, () => cancel());
      const say = (what: unknown) =>
        report(new CallbackError("source", `the function of source "${name}"`, what));
      const round = async () => {
        cancel = clock.setTimer(() => say(new Error(stillRuns(stuckAfter))), stuckAfter);
        try {
          for (const request of await requests(signal)) enqueue(request);
        } catch (error) {
          if (!signal.aborted) say(error);
        }
        cancel();
        if (!signal.aborted) cancel = clock.setTimer(() => void round(), milliseconds);
      };
      await round();
    },
  };
}
