import type { Enqueue, EnqueueOptions, Source } from "./source.ts";

/**
 * Lets code outside of controllers request reconciles: an HTTP handler, a message consumer, another controller.
 * Requests sent before the controller starts are kept. The queue drops nothing and holds each request once.
 */
export class RequestChannel<R> implements Source<R> {
  readonly name: string;
  /** Requests sent in this process are for this process, and wait in its queue. */
  readonly beforeLease = true;
  readonly #waiting: (readonly [R, EnqueueOptions | undefined])[] = [];
  #enqueue: Enqueue<R> | undefined;

  constructor(name = "channel") {
    this.name = name;
  }

  send(request: R, options?: EnqueueOptions): void {
    if (this.#enqueue) this.#enqueue(request, options);
    else this.#waiting.push([request, options]);
  }

  start(enqueue: Enqueue<R>): void {
    this.#enqueue = enqueue;
    for (const [request, options] of this.#waiting.splice(0)) enqueue(request, options);
  }
}
