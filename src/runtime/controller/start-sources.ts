import { onAbort } from "../clock/on-abort.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ControllerSpec } from "./controller-spec.ts";
import type { Enqueue, Source, SourceContext } from "./source.ts";

/** What sources get from a running controller. */
interface SourceHost<R> extends Pick<SourceContext, "report"> {
  readonly clock: Clock;
  readonly enqueue: (source: string, ...request: Parameters<Enqueue<R>>) => void;
}

/**
 * Starts the sources of a controller. Resolves when each has enqueued its initial requests; rejects if one takes too
 * long.
 */
export async function startSources<R>(
  { sources, log, cacheSyncTimeout, stuckAfter }: ControllerSpec<R>,
  signal: AbortSignal,
  { clock, enqueue, report }: SourceHost<R>,
): Promise<void> {
  const timeout = new AbortController();
  const cancel =
    cacheSyncTimeout === undefined ? () => {} : clock.setTimer(() => timeout.abort(), cacheSyncTimeout);
  const patience = AbortSignal.any([signal, timeout.signal]);
  const context: SourceContext = { signal, log, patience, clock, stuckAfter, report };
  try {
    await Promise.all(
      sources.map(async (source) => {
        log.info("Starting EventSource", { source: source.name });
        // A function that was called before the stop may still return afterwards.
        const enqueueUntilStopped: Enqueue<R> = (...request) => {
          if (!signal.aborted) enqueue(source.name, ...request);
        };
        await Promise.race([
          source.start(enqueueUntilStopped, context),
          overdue(source, patience, signal, cacheSyncTimeout),
        ]);
      }),
    );
  } finally {
    cancel();
  }
}

/** Rejects when a source has not started in time, even if it ignores its signals. */
function overdue<R>(
  { name }: Source<R>,
  patience: AbortSignal,
  signal: AbortSignal,
  milliseconds: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = new Error(`the source "${name}" has not started within ${(milliseconds ?? 0) / 1000} s`);
    onAbort(patience, () => {
      if (signal.aborted) resolve();
      // A source that minds them knows better what it waits for, and says so in this turn.
      else setImmediate(() => reject(late));
    });
  });
}
