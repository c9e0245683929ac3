import { trace, type Tracer } from "@opentelemetry/api";
import type { Duration, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { onTestFinished } from "vitest";
import { interceptClient } from "../../../src/runtime/client/intercept-client.ts";
import { intervalSource } from "../../../src/runtime/controller/source.ts";
import { allOf, anyOf, not, objectMatches } from "../../../src/runtime/controller/predicate.ts";
import type { Result } from "../../../src/runtime/controller/reconciler.ts";
import type { Logger } from "../../../src/runtime/log/logger.ts";
import type { Manager } from "../../../src/runtime/manager/manager.ts";
import type { ManagerOptions } from "../../../src/runtime/manager/manager-options.ts";
import { Widget } from "./widget-cluster.ts";

/** An error that throws when it is read. */
class OddError extends AggregateError {
  constructor() {
    super([]);
    this.errors.push(this);
    this.cause = this;
  }
  override get message(): string {
    throw new TypeError("not even a message");
  }
}

/** Ways in which a function can fail. */
export const ways = {
  throws: () => {
    throw new Error("boom");
  },
  "throws something odd": () => {
    throw new OddError();
  },
  "throws nothing": () => {
    throw undefined;
  },
  rejects: () => Promise.reject(new OddError()),
  "returns nonsense": () => Symbol("nonsense"),
  "ends never": () => new Promise<never>(() => {}),
} satisfies { readonly [way: string]: () => unknown };
type Way = keyof typeof ways;

const thrown = ["throws", "throws something odd", "throws nothing"] as const;
const sync = [...thrown, "returns nonsense", "rejects"] as const;
const all = Object.keys(ways) as Way[];

/** A user's function that fails for some objects, and how the failure is reported. */
export interface Callback {
  readonly ways: readonly Way[];
  /** The message of the log line. Default: the one for callbacks whose result can be omitted. */
  readonly line?: string;
  readonly counter: string;
  readonly options?: (breaks: () => unknown) => Partial<ManagerOptions>;
  readonly setUp?: (manager: Manager, breaks: () => unknown) => void;
  readonly reconcile?: (breaks: () => unknown) => unknown;
  /** Makes the manager call it. */
  readonly poke?: (manager: Manager) => Promise<unknown>;
  /** True if the manager calls the function when an object is deleted. */
  readonly onDelete?: true;
}

const isBad = ({ metadata }: KubernetesObject): boolean => metadata.name?.startsWith("bad") ?? false;
export const nothing = { reconcile: () => {} };
const counted = (callback: string): string => `tsbuilder_callback_errors_total{callback="${callback}"}`;
export const second = (manager: Manager, keyOf = (request: string) => request) =>
  manager.controllerOf(keyOf).named("second");

export const callbacks: { readonly [callback: string]: Callback } = {
  reconcile: {
    ways: [...thrown, "rejects"],
    line: "Reconciler error",
    counter: 'controller_runtime_reconcile_errors_total{controller="widget"}',
    reconcile: (breaks) => breaks(),
  },
  "the result of reconcile": {
    ways: ["returns nonsense"],
    line: "Reconciler error",
    counter: 'controller_runtime_reconcile_errors_total{controller="widget"}',
    reconcile: (breaks) => ({ requeueAfter: breaks() }),
  },
  "a slow reconcile": {
    ways: ["ends never"],
    line: "Reconcile is still running",
    counter: 'controller_runtime_active_workers{controller="widget"}',
    reconcile: (breaks) => breaks(),
  },
  "a cleanup": {
    ways: [...thrown, "rejects"],
    line: "Reconciler error",
    counter: 'controller_runtime_reconcile_errors_total{controller="second"}',
    setUp: addCleanup,
    onDelete: true,
  },
  "a slow cleanup": {
    ways: ["ends never"],
    line: "Reconcile is still running",
    counter: 'controller_runtime_active_workers{controller="second"}',
    setUp: addCleanup,
    onDelete: true,
  },
  "a predicate": {
    ways: [...thrown, "rejects"],
    counter: counted("predicate"),
    setUp: (manager, breaks) =>
      void second(manager)
        .watches(Widget, () => [], { predicates: [(event) => !isBad(event.object) || (breaks() as boolean)] })
        .complete(nothing),
  },
  "a predicate in a predicate": {
    ways: [...thrown, "rejects"],
    counter: counted("predicate"),
    setUp(manager, breaks) {
      const predicate = objectMatches<Widget>((object) => isBad(object) && (breaks() as boolean));
      const predicates = [allOf(anyOf(not(predicate)))];
      second(manager)
        .watches(Widget, () => [], { predicates })
        .complete(nothing);
    },
  },
  "a map function": {
    ways: all,
    counter: counted("map"),
    setUp: (manager, breaks) =>
      void second(manager)
        .watches(Widget, (object) => (isBad(object) ? (breaks() as string[]) : []))
        .complete(nothing),
  },
  "a function that names requests": {
    ways: sync,
    counter: counted("map"),
    setUp: (manager, breaks) =>
      void second(manager, (request) => (request.startsWith("bad") ? (breaks() as string) : request))
        .watches(Widget, ({ metadata }) => [metadata.name])
        .complete(nothing),
  },
  "the function of a source": {
    ways: all,
    counter: counted("source"),
    setUp(manager, breaks) {
      let rounds = 0;
      const requests = () => (rounds++ === 0 ? [] : (breaks() as string[]));
      second(manager)
        .watchesSource(intervalSource({ every: "1m", requests }))
        .complete(nothing);
    },
  },
  "a delay of one's own": {
    ways: sync,
    counter: counted("backoff"),
    setUp: (manager, breaks) =>
      void manager
        .controllerFor(Widget)
        .named("second")
        .withOptions({ backoff: { delay: () => breaks() as Duration } })
        .complete({
          reconcile({ name }) {
            if (name.startsWith("bad")) throw new Error("again");
          },
        }),
  },
  "scheduled work": {
    ways: [...thrown, "rejects", "ends never"],
    counter: counted("schedule"),
    setUp: (manager, breaks) =>
      manager.schedule({ name: "report", every: "1m", run: () => breaks() as Promise<void> }),
  },
  "an index function": {
    ways: sync,
    counter: counted("index"),
    setUp: (manager, breaks) =>
      manager.cache.addIndex(Widget, "index", (object) => (isBad(object) ? (breaks() as string[]) : [])),
  },
  "a transform": {
    ways: sync,
    counter: counted("transform"),
    options: (breaks) => ({
      cache: { transform: (object) => (isBad(object) ? (breaks() as KubernetesObject) : object) },
    }),
  },
  "a health check": {
    ways: [...thrown, "rejects"],
    line: "Health check failed",
    counter: 'tsbuilder_health_check_failures_total{endpoint="/healthz",check="own"}',
    options: () => ({ healthProbeBindAddress: "127.0.0.1:0" }),
    setUp: (manager, breaks) => manager.addHealthCheck("own", () => breaks() as Promise<void>),
    poke: ({ addresses }) => fetch(`http://${addresses.probes}/healthz`),
  },
  "an interceptor of the client": {
    ways: [...thrown, "rejects"],
    line: "Reconciler error",
    counter: 'controller_runtime_reconcile_errors_total{controller="second"}',
    options: (breaks) => ({
      client: {
        wrap: (own) =>
          interceptClient(own, {
            find(call, next) {
              const [{ name }] = call.args as [{ readonly name: string }];
              return name.startsWith("bad") ? (breaks() as Promise<never>) : next(call);
            },
          }),
      },
    }),
    setUp: (manager) =>
      void manager
        .controllerFor(Widget)
        .named("second")
        .complete({ reconcile: async (key) => void (await manager.client.find(Widget, key)) }),
  },
  "a handler": {
    ways: [...thrown, "rejects"],
    counter: counted("handler"),
    setUp: (manager, breaks) =>
      void manager.cache
        .informer(Widget)
        .subscribe(({ object }) => (isBad(object) ? (breaks() as Promise<void>) : undefined)),
  },
  "a tracer": {
    ways: all,
    counter: counted("tracer"),
    setUp(_, breaks) {
      const tracer = { startSpan: () => breaks() } as unknown as Tracer;
      trace.setGlobalTracerProvider({ getTracer: () => tracer });
      onTestFinished(() => trace.disable());
    },
  },
  "a logger": {
    ways: [...thrown, "rejects"],
    line: "Reconcile successful",
    counter: counted("logger"),
    options: (breaks) => ({ logger: loggerOf({ line: breaks }) }),
  },
  "a logger that is to be given fields": {
    ways: thrown,
    line: "Reconcile successful",
    counter: counted("logger"),
    options: (breaks) => ({ logger: loggerOf({ line: () => {}, with: breaks }) }),
  },
};

function addCleanup(manager: Manager, breaks: () => unknown): void {
  manager
    .controllerFor(Widget)
    .named("second")
    .finalizer("example.com/cleanup", (object) => (isBad(object) ? (breaks() as Result) : undefined))
    .complete(nothing);
}

/** A logger with one function for all levels. */
function loggerOf(parts: { readonly line: () => unknown; readonly with?: () => unknown }): Logger {
  const { line } = parts;
  const logger: Logger = {
    debug: line,
    info: line,
    warn: line,
    error: line,
    with: () => (parts.with?.() as Logger | undefined) ?? logger,
    isEnabled: () => true,
  };
  return logger;
}
