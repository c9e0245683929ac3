import type { Registry } from "prom-client";
import { Counter, Gauge, Histogram } from "prom-client";
import { tenfoldBuckets } from "./buckets.ts";
import type { ControllerObserver, ObservedController } from "../controller/controller-spec.ts";

/** From 5 ms to a minute, like controller-runtime's: dashboards compute with them. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** A priority is any number; the number of label values must be limited. */
const maxPriorities = 25;

const results = ["success", "error", "requeue", "requeue_after"] as const;

/** The metrics of all controllers of a process, under controller-runtime's names. */
export class ControllerMetrics {
  readonly #registry: Registry;
  readonly #controllers = new Map<string, ObservedController>();
  readonly #reconciles: Counter<"controller" | "result">;
  readonly #failures: {
    readonly [kind in "error" | "terminal" | "panic" | "timeout"]: Counter<"controller">;
  };
  readonly #seconds: Histogram<"controller">;
  readonly #adds: Counter<"name" | "controller">;
  readonly #retries: Counter<"name" | "controller">;
  readonly #waited: Histogram<"name" | "controller">;
  readonly #worked: Histogram<"name" | "controller">;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#reconciles = this.#counter("controller_runtime_reconcile_total", "Reconciles by how they ended.", [
      "controller",
      "result",
    ]);
    const failures = (name: string, help: string) =>
      this.#counter(`controller_runtime_${name}_total`, help, ["controller"]);
    this.#failures = {
      error: failures("reconcile_errors", "Reconciles that failed and are tried again."),
      terminal: failures("terminal_reconcile_errors", "Reconciles that failed for good."),
      panic: failures("reconcile_panics", "Reconciles that ended in an error of the program."),
      timeout: failures("reconcile_timeouts", "Reconciles that took longer than they may."),
    };
    this.#seconds = new Histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "How long reconciles take.",
      labelNames: ["controller"],
      buckets: reconcileBuckets,
      registers: [registry],
    });
    const queueLabels = ["name", "controller"] as const;
    this.#adds = this.#counter("workqueue_adds_total", "Requests added to the queue.", queueLabels);
    this.#retries = this.#counter("workqueue_retries_total", "Requests added after a failure.", queueLabels);
    this.#waited = this.#queueHistogram("workqueue_queue_duration_seconds", "How long due requests wait.");
    this.#worked = this.#queueHistogram(
      "workqueue_work_duration_seconds",
      "How long requests are worked on.",
    );
    this.#addGauges();
  }

  /** Starts counting for a controller, with every label at 0: a rate needs a first value. */
  observe(controller: ObservedController): ControllerObserver {
    const { name } = controller;
    this.#controllers.set(name, controller);
    const queue = { name, controller: name };
    const counters = Object.fromEntries(
      results.map((result) => [result, this.#reconciles.labels({ controller: name, result })]),
    );
    for (const counter of Object.values(counters)) counter.inc(0);
    for (const counter of Object.values(this.#failures)) counter.inc({ controller: name }, 0);
    const seconds = this.#seconds.labels({ controller: name });
    const adds = this.#adds.labels(queue);
    const retries = this.#retries.labels(queue);
    const waited = this.#waited.labels(queue);
    const worked = this.#worked.labels(queue);
    adds.inc(0);
    retries.inc(0);
    return {
      reconciled: (result, milliseconds) => {
        counters[result]?.inc();
        seconds.observe(milliseconds / 1000);
      },
      failed: (kind) => this.#failures[kind].inc({ controller: name }),
      added: () => adds.inc(),
      retried: () => retries.inc(),
      taken: (milliseconds) => waited.observe(milliseconds / 1000),
      finished: (milliseconds) => worked.observe(milliseconds / 1000),
    };
  }

  /** Ends the series of a controller: its cluster was removed. */
  forget({ name }: ObservedController): void {
    this.#controllers.delete(name);
    for (const result of results) this.#reconciles.remove({ controller: name, result });
    for (const counter of [...Object.values(this.#failures), this.#seconds])
      counter.remove({ controller: name });
    for (const metric of [this.#adds, this.#retries, this.#waited, this.#worked])
      metric.remove({ name, controller: name });
  }

  /** Gauges are computed when they are scraped. */
  #addGauges(): void {
    const each = (set: (controller: ObservedController) => void) => () => this.#controllers.forEach(set);
    const byController = ["controller"] as const;
    const byQueue = ["name", "controller"] as const;
    const labels = ({ name }: ObservedController) => ({ name, controller: name });
    const max = this.#gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Reconciles that may run at once.",
      byController,
      () => each(({ name, workers }) => max.set({ controller: name }, workers))(),
    );
    const active = this.#gauge(
      "controller_runtime_active_workers",
      "Reconciles that run now.",
      byController,
      () => each((controller) => active.set({ controller: controller.name }, controller.active))(),
    );
    const depth = this.#gauge(
      "workqueue_depth",
      "Requests that are due.",
      ["name", "controller", "priority"],
      each((controller) => {
        for (const [priority, count] of depthsByLabel(controller.queue.depths))
          depth.set({ ...labels(controller), priority }, count);
      }),
    );
    const failing = this.#gauge(
      "tsbuilder_failing_requests",
      "Requests that were retried more than five times in a row, however long the next try is away.",
      byController,
      () => each((controller) => failing.set({ controller: controller.name }, controller.queue.failing))(),
    );
    const unfinished = this.#gauge(
      "workqueue_unfinished_work_seconds",
      "Time spent so far on what is being worked on; what grows is stuck.",
      byQueue,
      () => each((controller) => unfinished.set(labels(controller), sum(controller.workingSeconds)))(),
    );
    const longest = this.#gauge(
      "workqueue_longest_running_processor_seconds",
      "Time spent so far on what has been worked on longest.",
      byQueue,
      () =>
        each((controller) => longest.set(labels(controller), Math.max(0, ...controller.workingSeconds)))(),
    );
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: () => void,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      collect: () => {
        gauge.reset();
        collect();
      },
      registers: [this.#registry],
    });
    return gauge;
  }

  #queueHistogram(name: string, help: string): Histogram<"name" | "controller"> {
    return new Histogram({
      name,
      help,
      labelNames: ["name", "controller"],
      buckets: [...tenfoldBuckets],
      registers: [this.#registry],
    });
  }
}

function depthsByLabel(depths: ReadonlyMap<number, number>): [string, number][] {
  // An empty queue is a 0 rather than a gap in the graph.
  if (depths.size === 0) return [["0", 0]];
  if (depths.size <= maxPriorities) return [...depths].map(([priority, count]) => [String(priority), count]);
  return [["exceeded_cardinality_limit", sum([...depths.values()])]];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
