import { defineKind, type Kind } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { TerminalError } from "../errors/api-error.ts";
import { type BuiltController, type ControllerHost, ControllerBuilder } from "./controller-builder.ts";
import type { ControllerOptions } from "./controller-spec.ts";

const Pod = defineKind({ group: "", version: "v1" }, { kind: "Pod", plural: "pods" });
const ReplicaSet = defineKind(
  { group: "apps", version: "v1" },
  { kind: "ReplicaSet", plural: "replicasets" },
);
const Job = defineKind({ group: "batch", version: "v1" }, { kind: "Job", plural: "jobs" });

const controllerDefaults = {
  maxConcurrentReconciles: 2,
  groupKindConcurrency: { "ReplicaSet.apps": 5, Pod: 10 },
};

/** Builds a controller and returns its spec; needs neither a cluster nor a cache. */
function build(kind: Kind, options: ControllerOptions): BuiltController<unknown>[] {
  const built: BuiltController<unknown>[] = [];
  const host = {
    controllerDefaults,
    addController(spec) {
      built.push(spec as BuiltController<unknown>);
      return { name: "", depth: 0, active: 0, addSource: () => ({ synced: Promise.resolve(), stop() {} }) };
    },
  } as Partial<ControllerHost> as ControllerHost;
  new ControllerBuilder(host, kind).withOptions(options).complete({ reconcile: async () => undefined });
  return built;
}

test("a controller has controller-runtime's timeouts by default", () => {
  expect(build(Job, {})).toMatchObject([
    { cacheSyncTimeout: 120_000, stuckAfter: 300_000, backoff: { base: 5, max: 1_000_000 } },
  ]);
  expect(build(Job, { reconcileTimeout: "1m30s", backoff: { base: "1s" } })).toMatchObject([
    { reconcileTimeout: 90_000, backoff: { base: 1000, max: 1_000_000 } },
  ]);
});

test.for([
  [{ maxConcurrentReconciles: 0 }, "maxConcurrentReconciles is 0: at least 1"],
  [{ maxConcurrentReconciles: 1.5 }, "maxConcurrentReconciles is 1.5: at least 1, and whole"],
  [{ maxConcurrentReconciles: Number.NaN }, "maxConcurrentReconciles is NaN"],
  [
    { reconcileTimeout: "5 minutes" as never },
    'reconcileTimeout of controller "job" is "5 minutes", which is not a duration',
  ],
  [{ reconcileTimeout: "0s" }, 'reconcileTimeout is "0s": omit it for no timeout'],
  [{ stuckAfter: 5 as never }, 'stuckAfter of controller "job" is 5, which is not a duration'],
  [{ backoff: { base: "-5s" } }, 'backoff.base is "-5s"'],
  [{ backoff: { retriesPerSecond: 0 } }, "backoff.retriesPerSecond is 0"],
] as const)("a controller rejects invalid options: %o", ([options, message]) => {
  expect(() => build(Job, options)).toThrow(message);
  expect(() => build(Job, options)).toThrow(TerminalError);
});

test.each([
  ["of the kind", ReplicaSet, {}, 5],
  ["of a kind of the core group", Pod, {}, 10],
  ["of its own options rather than of the kind", ReplicaSet, { maxConcurrentReconciles: 1 }, 1],
  ["of the default if the kind has none", Job, {}, 2],
] as const)("a controller has the concurrency %s", (_, kind, options: ControllerOptions, wanted) => {
  expect(build(kind, options)).toMatchObject([{ maxConcurrentReconciles: wanted }]);
});
