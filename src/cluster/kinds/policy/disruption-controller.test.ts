import { expect, it, onTestFinished } from "vitest";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { eventually } from "../../../../e2e/support/eventually.ts";
import type { Pod } from "../../control-loop/api/core.ts";
import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { budgetStatus, podDisruptionBudgets } from "./disruption-controller.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const pod = (ready: boolean): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const budget = (spec: PodDisruptionBudget["spec"]): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", generation: 2 },
  spec,
});

it.each([
  [{ minAvailable: 2 }, 3, 3, 2, 1],
  [{ minAvailable: 2 }, 1, 1, 2, 0],
  [{ minAvailable: "50%" }, 3, 5, 3, 0],
  [{ maxUnavailable: 1 }, 4, 5, 4, 0],
  [{ maxUnavailable: 1 }, 5, 5, 4, 1],
  [{ maxUnavailable: "30%" }, 5, 5, 3, 2],
  [{ maxUnavailable: 1 }, 0, 0, 0, 0],
])(
  "budgetStatus() of %j with %i ready pods of %i wants %i healthy and lets %i go",
  (spec, ready, wanted, desired, allowed) => {
    const pods = Array.from({ length: ready }, () => pod(true));
    const status = budgetStatus(budget(spec), pods, wanted, now);
    expect(status).toMatchObject({
      observedGeneration: 2,
      currentHealthy: ready,
      desiredHealthy: desired,
      disruptionsAllowed: allowed,
      conditions: [{ type: "DisruptionAllowed", status: allowed > 0 ? "True" : "False" }],
    });
  },
);

it("budgetStatus() counts a pod with an admitted eviction as gone, for two minutes", () => {
  const named = (name: string): Pod => ({ ...pod(true), metadata: { name } });
  const before = budgetStatus(budget({ minAvailable: 1 }), [named("a"), named("b")], 2, now);
  const evicting = {
    ...before,
    disruptedPods: { a: new Date(now).toISOString(), gone: new Date(now).toISOString() },
  };
  const status = (seconds: number) => {
    const later = now + seconds * 1000;
    const noted = { ...budget({ minAvailable: 1 }), status: evicting };
    return budgetStatus(noted, [named("a"), named("b")], 2, later);
  };
  expect(status(119)).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
  expect(status(119).disruptedPods).toEqual({ a: new Date(now).toISOString() });
  expect(status(120)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect(status(120)).not.toHaveProperty("disruptedPods");
});

it("budgetStatus() keeps lastTransitionTime of an unchanged condition", () => {
  const before = budgetStatus(budget({ minAvailable: 1 }), [pod(false)], 1, now);
  const later = Date.parse("2026-01-02T00:00:00Z");
  const after = budgetStatus({ ...budget({ minAvailable: 1 }), status: before }, [pod(false)], 1, later);
  expect(after.conditions).toEqual(before.conditions);
});

it("disruptionController() counts what a StatefulSet wants, whoever owns it", async () => {
  const cluster = await startTestCluster({
    controllers: ["statefulset", "disruption", "scheduler", "node", "kubelet"],
  });
  onTestFinished(() => cluster.stop());
  const labels = { app: "db" };
  const owner = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace: "default" } };
  await cluster.install(owner);
  const { uid = "" } = clusterObjects(cluster.core).get("configmaps", "default", "owner")!.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, controller: true }];
  const metadata = { name: "db", namespace: "default" };
  await cluster.install(
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { ...metadata, ownerReferences },
      spec: {
        replicas: 2,
        serviceName: "db",
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "db:1" }] } },
      },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
  );
  await eventually(() =>
    expect(clusterObjects(cluster.core).get(podDisruptionBudgets, "default", "db")?.status).toMatchObject({
      expectedPods: 2,
      currentHealthy: 2,
      disruptionsAllowed: 1,
    }),
  );
});
