import { onAbort } from "../clock/on-abort.ts";
import type { Duration } from "@tsbuilder/apimachinery/meta";
import { CallbackError, stillRuns } from "../callbacks/callback-error.ts";
import { readDuration } from "../clock/read-duration.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { enqueueEach } from "./enqueue-each.ts";
import type { Source } from "./source.ts";

/** Options of `intervalSource`. */
export interface IntervalOptions<R> {
  /** Time between the end of one round and the start of the next. */
  readonly every: Duration;
  /** Returns what should be reconciled now, from a cloud API or a constant list. An error is logged. */
  readonly requests: (signal: AbortSignal) => readonly R[] | Promise<readonly R[]>;
  readonly name?: string | undefined;
}

/** Enqueues requests periodically, for external state that sends no events. The first round is at the start. */
export function intervalSource<R>({
  every,
  requests,
  name = `every ${every}`,
}: IntervalOptions<R>): Source<R> {
  const milliseconds = readDuration(`every of source "${name}"`, every);
  if (milliseconds <= 0)
    throw new TerminalError(`every of source "${name}" is "${every}": it must be positive`);
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
          enqueueEach(await requests(signal), enqueue);
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
