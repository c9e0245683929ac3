import { onAbort } from "../clock/on-abort.ts";
import type { Logger } from "../log/logger.ts";
import type { Watch } from "./controller-spec.ts";
import type { Source } from "./source.ts";

/** What the sources of a controller need to start. */
interface AddedSourcesHost<R> {
  readonly log: Logger;
  /** Resolves when the source has enqueued its initial requests. */
  readonly start: (source: Source<R>, signal: AbortSignal) => Promise<void>;
}

/** The sources that are added to a controller at any time, and removed again. */
export class AddedSources<R> {
  readonly #host: AddedSourcesHost<R>;
  /** Those that wait for the controller to start. */
  readonly #waiting = new Set<{
    readonly source: Source<R>;
    readonly begin: (signal: AbortSignal) => void;
    readonly stop: () => void;
  }>();
  #warm: AbortSignal | undefined;
  #running: AbortSignal | undefined;

  constructor(host: AddedSourcesHost<R>) {
    this.#host = host;
  }

  add(source: Source<R>): Watch {
    const ending = new AbortController();
    const stop = () => ending.abort(new Error(`the watch of ${source.name} was stopped`));
    const synced = new Promise<void>((resolve, reject) => {
      const waiting = {
        source,
        begin: (signal: AbortSignal) =>
          void this.#host.start(source, AbortSignal.any([signal, ending.signal])).then(resolve, reject),
        stop,
      };
      this.#waiting.add(waiting);
      ending.signal.addEventListener("abort", () => {
        this.#waiting.delete(waiting);
        resolve();
      });
    });
    synced.catch((error: unknown) =>
      this.#host.log.error("A watch that was added is not synced in time, and goes on trying", {
        source: source.name,
        error,
      }),
    );
    this.#begin();
    return { synced, stop };
  }

  /** Starts the sources that need no lease, now and later. */
  warmUp(signal: AbortSignal): void {
    this.#warm = signal;
    onAbort(signal, () => this.#forget());
    this.#begin();
  }

  /** Starts all sources, now and later. */
  start(signal: AbortSignal): void {
    this.#running = signal;
    onAbort(signal, () => this.#forget());
    this.#begin();
  }

  /** The controller has stopped: what still waits for its start will not begin. */
  #forget(): void {
    for (const { stop } of this.#waiting) stop();
  }

  #begin(): void {
    if (this.#running?.aborted || this.#warm?.aborted) return this.#forget();
    for (const waiting of this.#waiting) {
      const signal = this.#running ?? (waiting.source.beforeLease ? this.#warm : undefined);
      if (!signal) continue;
      this.#waiting.delete(waiting);
      waiting.begin(signal);
    }
  }
}
