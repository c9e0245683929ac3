import type { Enqueue, EnqueueOptions, Source } from "./source.ts";

/**
 * Lets code that is no controller ask for reconciles: an HTTP handler, a message consumer, another controller. What is
 * sent before the controller starts is kept for it; the queue drops nothing and holds each request once.
 */
export class RequestChannel<R> implements Source<R> {
  readonly name: string;
  /** What is sent to this process is for this process, and waits in its queue. */
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
