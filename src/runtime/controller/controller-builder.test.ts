import { defineKind, type Kind } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { TerminalError } from "../errors/terminal-error.ts";
import { type BuiltController, type ControllerHost, ControllerBuilder } from "./controller-builder.ts";
import type { ControllerOptions } from "./controller-options.ts";

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

/** Builds a controller, and gives what it hands over; it needs neither cluster nor cache for that. */
function build(kind: Kind, options: ControllerOptions): BuiltController<unknown>[] {
  const built: BuiltController<unknown>[] = [];
  const host = {
    controllerDefaults,
    addController(spec) {
      built.push(spec as BuiltController<unknown>);
      return { name: "", depth: 0, active: 0 };
    },
  } as Partial<ControllerHost> as ControllerHost;
  new ControllerBuilder(host, kind).withOptions(options).complete({ reconcile: async () => undefined });
  return built;
}

test("a controller has the times of controller-runtime, unless told otherwise", () => {
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
    { reconcileTimeout: "5 minutes" },
    'reconcileTimeout of controller "job" is "5 minutes", which is no duration',
  ],
  [{ reconcileTimeout: "0s" }, 'reconcileTimeout is "0s": leave it out for none'],
  [{ stuckAfter: 5 as never }, 'stuckAfter of controller "job" is 5, which is no duration'],
  [{ backoff: { base: "-5s" } }, 'backoff.base is "-5s"'],
  [{ backoff: { retriesPerSecond: 0 } }, "backoff.retriesPerSecond is 0"],
] as const)("a controller refuses what it can't work with: %o", ([options, message]) => {
  expect(() => build(Job, options)).toThrow(message);
  expect(() => build(Job, options)).toThrow(TerminalError);
});

test.each([
  ["of the kind", ReplicaSet, {}, 5],
  ["of a kind of the core group", Pod, {}, 10],
  ["of its own before that of the kind", ReplicaSet, { maxConcurrentReconciles: 1 }, 1],
  ["for all where the kind has none", Job, {}, 2],
] as const)("a controller has the concurrency %s", (_, kind, options: ControllerOptions, wanted) => {
  expect(build(kind, options)).toMatchObject([{ maxConcurrentReconciles: wanted }]);
});
