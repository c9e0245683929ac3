import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";

/** What the types of Node 20 omit. */
interface CollectionEntry {
  readonly detail: { readonly kind: number };
}

/** Notes how much of the heap is in use after each full garbage collection: what is in use before may be garbage. */
export class KeptHeap {
  bytes: number | undefined;
  readonly #observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as (PerformanceEntry & CollectionEntry)[];
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
      this.bytes = process.memoryUsage().heapUsed;
  });

  start(): void {
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#observer.disconnect();
  }
}
