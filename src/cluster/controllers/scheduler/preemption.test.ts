import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { describe, expect, it } from "vitest";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import { chooseNode } from "./scheduler.ts";
import type { Host } from "./filters.ts";
import { preempt } from "./preemption.ts";

interface Has {
  readonly priority?: number;
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly startTime?: string;
}

const pod = (name: string, { priority = 0, cpu = "1", labels = {}, startTime }: Has = {}): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "n", uid: name, labels },
    spec: { priority, containers: [{ name: "c", resources: { requests: { cpu } } }] },
    status: { phase: "Running", ...(startTime !== undefined && { startTime }) },
  }) as unknown as Pod;

const host = (name: string, ...pods: readonly Pod[]): Host => ({
  node: {
    metadata: { name },
    status: { allocatable: { cpu: "3", pods: "10" }, conditions: [{ type: "Ready", status: "True" }] },
  } as unknown as Node,
  pods,
});

const budget = (app: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: app, namespace: "n" },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

/** The node and the victims of a pod with priority 100. */
function victimsOf(cpu: string, hosts: readonly Host[], budgets: readonly PodDisruptionBudget[] = []) {
  const incoming = pod("incoming", { priority: 100, cpu });
  const snapshot = { hosts, labelsOf: () => undefined };
  const choice = chooseNode(incoming, snapshot);
  if ("node" in choice) return choice.node;
  const preemption = preempt(incoming, choice.refusals, snapshot, budgets);
  if (!("victims" in preemption))
    return [...preemption.refusals.values()].map(({ reasons }) => reasons.join());
  const { victims } = preemption;
  return [victims.host.node.metadata.name, ...victims.pods.map(({ metadata }) => metadata.name)];
}

describe("preempt()", () => {
  it("takes no more pods than it needs, the least important first", () => {
    const full = [
      pod("important", { priority: 50 }),
      pod("old", { priority: 5, startTime: "2026-01-01T00:00:00Z" }),
      pod("young", { priority: 5, startTime: "2026-01-02T00:00:00Z" }),
    ];
    expect(victimsOf("1", [host("a", ...full)])).toEqual(["a", "young"]);
    expect(victimsOf("2", [host("a", ...full)])).toEqual(["a", "old", "young"]);
  });

  it("spares pods that a budget protects if others are enough", () => {
    const guarded = pod("guarded", { priority: 1, labels: { app: "db" } });
    const others = [pod("x", { priority: 2 }), pod("y", { priority: 3 })];
    expect(victimsOf("1", [host("a", guarded, ...others)], [budget("db", 0)])).toEqual(["a", "x"]);
    expect(victimsOf("1", [host("a", guarded, ...others)], [budget("db", 1)])).toEqual(["a", "guarded"]);
    expect(victimsOf("3", [host("a", guarded, ...others)], [budget("db", 0)])).toEqual([
      "a",
      "y",
      "x",
      "guarded",
    ]);
  });

  it.each<[string, Host, Host]>([
    [
      "where fewer are protected",
      host("a", pod("a1", { priority: 1, cpu: "3", labels: { app: "db" } })),
      host("b", pod("b1", { priority: 9, cpu: "3" })),
    ],
    [
      "where the highest priority is lower",
      host("a", pod("a1", { priority: 9, cpu: "3" })),
      host("b", pod("b1", { priority: 8, cpu: "2" }), pod("b2", { priority: 8 })),
    ],
    [
      "where fewer pods go",
      host("a", pod("a1", { priority: 9, cpu: "2" }), pod("a2", { priority: -9 })),
      host("b", pod("b1", { priority: 9, cpu: "3" })),
    ],
    [
      "where they started later",
      host("a", pod("a1", { cpu: "3", startTime: "2026-01-01T00:00:00Z" })),
      host("b", pod("b1", { cpu: "3", startTime: "2026-01-02T00:00:00Z" })),
    ],
  ])("chooses the node %s", (_name, a, b) => {
    const hosts = [a, b];
    expect(victimsOf("3", hosts, [budget("db", 0)])).toEqual([
      "b",
      ...b.pods.map(({ metadata }) => metadata.name),
    ]);
    expect(victimsOf("3", hosts.toReversed(), [budget("db", 0)])).toContain("b");
  });

  it("finds nobody among equals, and nothing where even an empty node is too small", () => {
    const equals = host("a", pod("equal", { priority: 100, cpu: "3" }));
    expect(victimsOf("1", [equals])).toEqual(["No preemption victims found for incoming pod"]);
    expect(victimsOf("4", [host("a", pod("low", { cpu: "3" }))])).toEqual([]);
    const mixed = host("a", pod("equal", { priority: 100, cpu: "2" }), pod("low"));
    expect(victimsOf("2", [mixed])).toEqual(["Insufficient cpu"]);
  });
});
