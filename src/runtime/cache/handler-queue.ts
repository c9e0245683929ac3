import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { asReadonly, type DeepReadonly } from "../client/deep-readonly.ts";
import type { InformerEvent, InformerHandler, Subscription } from "./informer.ts";
import { isThenable } from "../callbacks/call-safely.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import { Latch } from "./latch.ts";

/** Marks the end of the first list in the queue. */
const syncMark = Symbol("synced");

/** The events of one subscriber, delivered in order, one at a time. */
export class HandlerQueue<T extends KubernetesObject> implements Subscription {
  readonly #handler: InformerHandler<T>;
  readonly #onError: (event: InformerEvent<T>, thrown: unknown) => void;
  readonly #onEnd: () => void;
  readonly #slices: TimeSlices;
  readonly #existing: () => Iterable<T>;
  readonly #synced = new Latch();
  #events: (InformerEvent<T> | typeof syncMark)[] = [];
  #isBusy = false;
  #isOver = false;

  constructor(
    handler: InformerHandler<T>,
    onError: (event: InformerEvent<T>, thrown: unknown) => void,
    onEnd: () => void,
    slices: TimeSlices,
    existing: () => Iterable<T> = () => [],
  ) {
    this.#handler = handler;
    this.#onError = onError;
    this.#onEnd = onEnd;
    this.#slices = slices;
    this.#existing = existing;
  }

  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  unsubscribe(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events = [];
    this.#synced.break(new Error("the subscription has ended"));
    this.#onEnd();
  }

  replay(matches: (object: DeepReadonly<KubernetesObject>) => boolean): void {
    const events = [...this.#existing()].filter((object) => matches(asReadonly(object)));
    this.push(events.map((object) => ({ type: "add", object, isInInitialList: true, isOwnWrite: false })));
  }

  push(events: Iterable<InformerEvent<T>>): void {
    if (this.#isOver) return;
    for (const event of events) this.#events.push(event);
    this.#start();
  }

  /** Marks the end of the first list. */
  markSynced(): void {
    if (this.#isOver) return;
    this.#events.push(syncMark);
    this.#start();
  }

  #start(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#drain();
  }

  /** Runs synchronously while the slice of this turn lasts, so that a single event is delivered at once. */
  async #drain(): Promise<void> {
    for (let at = 0; ;) {
      const pause = this.#slices.pause();
      if (pause) await pause;
      if (at >= this.#events.length) break;
      const event = this.#events[at++]!;
      if (event === syncMark) {
        this.#synced.open();
      } else {
        const running = this.#tell(event);
        if (running) await running;
      }
      if (at >= 1024 || at >= this.#events.length) {
        this.#events.splice(0, at);
        at = 0;
      }
    }
    this.#isBusy = false;
  }

  #tell(event: InformerEvent<T>): Promise<void> | undefined {
    try {
      const result = this.#handler(event);
      if (isThenable(result)) return result.then(undefined, (error: unknown) => this.#onError(event, error));
    } catch (error) {
      this.#onError(event, error);
    }
    return undefined;
  }
}
