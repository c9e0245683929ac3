import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pods } from "../../control-loop/api/core.ts";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { FakeClock, type TestCluster, startTestCluster } from "../../testing/index.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler-controller.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster();
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const statusOf = () =>
  objects().get<KubernetesObject & { status: { conditions: object[] } }>(
    "horizontalpodautoscalers.autoscaling",
    "default",
    "web",
  )!.status;
const replicasOf = (resource: string) =>
  objects().get<KubernetesObject & { spec: { replicas: number } }>(resource, "default", "web")!.spec.replicas;

const autoscaler = (apiVersion: string, kind: string) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion, kind, name: "web" },
    maxReplicas: 9,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 100 } },
      },
    ],
  },
});

const podSpec = (cpu: string) => ({
  containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }],
});

const target = (apiVersion: string, kind: string, selector: object, cpu: string) => ({
  apiVersion,
  kind,
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector,
    template: { metadata: { labels: { app: "web" } }, spec: podSpec(cpu) },
  },
});

/** Creates a ready pod. */
async function run(name: string, cpu: string): Promise<void> {
  await cluster.install({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: podSpec(cpu),
  });
  const pod = objects().get(pods, "default", name)!;
  const conditions = [{ type: "Ready", status: "True" }];
  await objects().update("test", { ...pod, status: { phase: "Running", conditions } }, "status");
}

/** Reconciles once; each pod uses what is said here. */
function reconcile(usage: Record<string, string>, whileReading = async (): Promise<unknown> => undefined) {
  const items = Object.entries(usage).map(([name, cpu]) => ({
    metadata: { name },
    containers: [{ usage: { cpu } }],
  }));
  const readMetrics = { isServed: () => true, get: () => whileReading().then(() => ({ items })) };
  const clock = new FakeClock();
  return horizontalPodAutoscalerController({ objects: objects(), clock, readMetrics }).reconcile(
    "default/web",
  );
}

test("pods that request nothing have no utilization, and leave the replicas as they are", async () => {
  const deployment = target("apps/v1", "Deployment", { matchLabels: { app: "web" } }, "0");
  await cluster.install(deployment, autoscaler("apps/v1", "Deployment"));
  await run("web", "0");
  await reconcile({ web: "1" });
  expect(replicasOf("deployments.apps")).toBe(1);
  expect(statusOf().conditions).toContainEqual(
    expect.objectContaining({
      type: "ScalingActive",
      status: "False",
      message: expect.stringContaining("no metrics returned matched known pods") as string,
    }),
  );
});

test("a ReplicationController is scaled by its own pods, not by all of the namespace", async () => {
  const controller = target("v1", "ReplicationController", { app: "web" }, "100m");
  await cluster.install(controller, autoscaler("v1", "ReplicationController"));
  await run("web", "100m");
  await run("idle", "100m");
  await reconcile({ web: "200m", idle: "0" });
  expect(replicasOf("replicationcontrollers")).toBe(2);
});

test("a target that changes while metrics are read is scaled at the next try, and nobody blames the metrics", async () => {
  const deployment = target("apps/v1", "Deployment", { matchLabels: { app: "web" } }, "100m");
  await cluster.install(deployment, autoscaler("apps/v1", "Deployment"));
  await run("web", "100m");
  const change = () => cluster.install({ ...deployment, metadata: { name: "web", labels: { a: "b" } } });
  await expect(reconcile({ web: "200m" }, change)).rejects.toMatchObject({ code: 409 });
  expect(objects().list("events")).toEqual([]);
  await reconcile({ web: "200m" });
  expect(replicasOf("deployments.apps")).toBe(2);
});
