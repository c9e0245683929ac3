import { defineKind } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { type ControllerHost, ControllerBuilder } from "./controller-builder.ts";
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

test.each([
  ["of the kind", ReplicaSet, {}, 5],
  ["of a kind of the core group", Pod, {}, 10],
  ["of its own before that of the kind", ReplicaSet, { maxConcurrentReconciles: 1 }, 1],
  ["for all where the kind has none", Job, {}, 2],
] as const)("a controller has the concurrency %s", (_, kind, options: ControllerOptions, wanted) => {
  const built: number[] = [];
  // A builder hands over what it was told; it needs neither cluster nor cache for that.
  const host = {
    controllerDefaults,
    addController: ({ maxConcurrentReconciles }) => {
      built.push(maxConcurrentReconciles);
      return { name: "", depth: 0, active: 0 };
    },
  } as Partial<ControllerHost> as ControllerHost;
  new ControllerBuilder(host, kind).withOptions(options).complete({ reconcile: async () => undefined });
  expect(built).toEqual([wanted]);
});
