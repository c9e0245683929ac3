import { onAbort } from "../clock/on-abort.ts";

/** A one-time event, and those who wait for it. */
export class Latch {
  #state: "shut" | "open" | { readonly broken: Error } = "shut";
  readonly #waiters = new Set<{ resolve: () => void; reject: (reason: Error) => void }>();

  get isOpen(): boolean {
    return this.#state === "open";
  }

  open(): void {
    if (this.#state !== "shut") return;
    this.#state = "open";
    for (const { resolve } of this.#waiters) resolve();
    this.#waiters.clear();
  }

  /** Rejects all waits: it will not happen any more. */
  break(reason: Error): void {
    if (this.#state !== "shut") return;
    this.#state = { broken: reason };
    for (const { reject } of this.#waiters) reject(reason);
    this.#waiters.clear();
  }

  /** Resolves when it has happened; rejects with the signal's reason, or if it can't happen any more. */
  wait(signal?: AbortSignal): Promise<void> {
    if (this.#state === "open") return Promise.resolve();
    if (this.#state !== "shut") return Promise.reject(this.#state.broken);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason as Error);
      });
      const waiter = {
        resolve: () => {
          forget();
          resolve();
        },
        reject: (reason: Error) => {
          forget();
          reject(reason);
        },
      };
      this.#waiters.add(waiter);
    });
  }
}
