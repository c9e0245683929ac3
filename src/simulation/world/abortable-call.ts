import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";

/** A stream may be aborted before anybody reads it, and so hears of it. */
const unheard = (): void => {};

/** What a signal ends: a request until its answer is there, and the answer's stream until it is closed. */
export class AbortableCall {
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #stream: Readable | undefined;

  constructor(signal: AbortSignal | undefined, reject: (reason: Error) => void) {
    this.#signal = signal;
    this.#onAbort = () => {
      const reason = signal?.reason as unknown;
      const error = reason instanceof Error ? reason : new Error("aborted");
      reject(error);
      this.#stream?.destroy(error);
    };
    if (!signal) return;
    // A reconcile may well make twenty requests at once, which is no leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The request has ended with an answer, or an error. */
  end<T extends Error | { readonly stream?: Readable | undefined }>(outcome: T): T {
    const forget = (): void => this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#stream = "stream" in outcome ? outcome.stream : undefined;
    if (!this.#stream) forget();
    else if (this.#signal?.aborted) this.#onAbort();
    else this.#stream.once("close", forget);
    this.#stream?.on("error", unheard);
    return outcome;
  }
}
