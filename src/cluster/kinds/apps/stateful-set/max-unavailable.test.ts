import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { pods } from "../../../control-loop/api/core.ts";
import { type StatefulSet, statefulSets } from "./stateful-set-controller.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

// Kubernetes follows maxUnavailable since 1.37, and a process serves one release.

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ controllers: ["statefulset"], kubernetesVersion: "1.37" });
});
afterAll(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const podsOf = (name: string) =>
  objects()
    .list(pods, "default")
    .filter(({ metadata }) => metadata.name!.startsWith(`${name}-`));
const updated = (name: string) =>
  podsOf(name)
    .filter(({ spec }) => spec.containers[0]?.image === "i:2")
    .map(({ metadata }) => metadata.name!.slice(name.length + 1));

/** A set of five pods, which nobody but the test makes ready. */
const set = (name: string, image: string, podManagementPolicy: string, maxUnavailable: number | string) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 5,
    podManagementPolicy,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image }] } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable } },
  },
});

async function makeReady(name: string, except: readonly string[] = []): Promise<void> {
  const conditions = [{ type: "Ready", status: "True" }];
  for (const pod of podsOf(name)) {
    if (except.includes(pod.metadata.name!) || pod.status?.conditions) continue;
    await objects().update("test", { ...pod, status: { phase: "Running", conditions } }, "status");
  }
}

const readyReplicas = (name: string) =>
  (objects().get(statefulSets, "default", name) as StatefulSet | undefined)?.status?.readyReplicas ?? 0;

async function startSet(name: string, policy: string, maxUnavailable: number | string, ready: number) {
  await cluster.install(set(name, "i:1", policy, maxUnavailable));
  const except = Array.from({ length: 5 - ready }, (_, index) => `${name}-${index + 1}`);
  await eventually(async () => {
    await makeReady(name, except);
    expect(readyReplicas(name)).toBe(ready);
  });
  await cluster.install(set(name, "i:2", policy, maxUnavailable));
}

test("an update replaces as many pods at once as maxUnavailable allows, the highest first", async () => {
  // 50 % of five pods are two.
  await startSet("half", "OrderedReady", "50%", 5);
  // With OrderedReady the lower of the two deleted pods is created first, and the next when it is ready.
  await eventually(() => expect(updated("half")).toEqual(["3"]));
  expect(podsOf("half")).toHaveLength(4);
  await makeReady("half");
  await eventually(() => expect(updated("half")).toEqual(["3", "4"]));
  await eventually(async () => {
    await makeReady("half");
    expect(updated("half")).toEqual(["1", "2", "3", "4"]);
  });
});

test("with Parallel, old pods that are not available are replaced beyond maxUnavailable", async () => {
  await startSet("sick", "Parallel", 2, 4);
  // One pod is not ready: it goes at once, and one of the others with it.
  await eventually(() => expect(updated("sick")).toEqual(["1", "4"]));
  expect(readyReplicas("sick")).toBe(3);
});
