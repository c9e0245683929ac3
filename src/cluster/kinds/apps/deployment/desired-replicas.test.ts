import { describe, expect, it } from "vitest";
import { type Deployment, desiredReplicas, proportionalReplicas, rolloutLimits } from "./desired-replicas.ts";
import type { ReplicaSet } from "../replica-set/replica-set-controller.ts";

const template = { spec: { containers: [] } };

function deployment(
  replicas: number,
  rollingUpdate = {},
  type: "Recreate" | "RollingUpdate" = "RollingUpdate",
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas, revisionHistoryLimit: 10, selector: {}, template, strategy: { type, rollingUpdate } },
  };
}

function set(name: string, replicas: number, availableReplicas = replicas): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, creationTimestamp: "2030-01-01T00:00:00Z" },
    spec: { replicas, selector: {}, template },
    status: { replicas, availableReplicas },
  };
}

describe("rolloutLimits()", () => {
  it.each([
    [10, { maxSurge: "25%", maxUnavailable: "25%" }, { maxSurge: 3, maxUnavailable: 2 }],
    [1, { maxSurge: "25%", maxUnavailable: "25%" }, { maxSurge: 1, maxUnavailable: 0 }],
    [4, { maxSurge: 0, maxUnavailable: "10%" }, { maxSurge: 0, maxUnavailable: 1 }],
    [2, { maxSurge: 0, maxUnavailable: 5 }, { maxSurge: 0, maxUnavailable: 2 }],
  ])("resolves the limits for %i replicas and %j", (replicas, strategy, limits) => {
    expect(rolloutLimits(deployment(replicas, strategy))).toEqual(limits);
  });
});

describe("desiredReplicas()", () => {
  const next = (...args: Parameters<typeof desiredReplicas>) => Object.fromEntries(desiredReplicas(...args));

  it("scales up the new ReplicaSet as far as maxSurge allows", () => {
    expect(next(deployment(4, { maxSurge: 1, maxUnavailable: 0 }), set("new", 0), [set("old", 4)])).toEqual({
      new: 1,
    });
  });

  it("keeps old pods until new ones are available", () => {
    expect(
      next(deployment(4, { maxSurge: 1, maxUnavailable: 0 }), set("new", 1, 0), [set("old", 4)]),
    ).toEqual({});
  });

  it("scales down the old ReplicaSet by its surplus", () => {
    expect(next(deployment(4, { maxSurge: 1, maxUnavailable: 0 }), set("new", 1), [set("old", 4)])).toEqual({
      old: 3,
    });
  });

  it("removes unavailable old pods first", () => {
    expect(
      next(deployment(4, { maxSurge: 0, maxUnavailable: 1 }), set("new", 0), [set("a", 2), set("b", 2, 0)]),
    ).toEqual({ b: 1 });
  });

  it("does nothing once the rollout is complete", () => {
    expect(next(deployment(3), set("new", 3), [set("old", 0)])).toEqual({});
  });
});

describe("proportionalReplicas()", () => {
  it("distributes additional replicas during a rollout", () => {
    const spread = proportionalReplicas(deployment(20, { maxSurge: 0, maxUnavailable: 1 }), [
      set("old", 8),
      set("new", 2),
    ]);
    expect(Object.fromEntries(spread)).toEqual({ old: 16, new: 4 });
  });

  it("gives the rounding remainder to the largest", () => {
    const spread = proportionalReplicas(deployment(10, { maxSurge: 0, maxUnavailable: 1 }), [
      set("a", 1),
      set("b", 1),
      set("c", 1),
    ]);
    expect([...spread.values()].reduce((a, b) => a + b)).toBe(10);
  });
});
