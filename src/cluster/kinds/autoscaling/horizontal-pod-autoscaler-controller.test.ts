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
  objects().get<KubernetesObject & { status: { conditions: { type: string }[] } }>(
    "horizontalpodautoscalers.autoscaling",
    "default",
    "web",
  )!.status;
const replicasOf = (resource: string) =>
  objects().get<KubernetesObject & { spec: { replicas: number } }>(resource, "default", "web")!.spec.replicas;

const autoscaler = (apiVersion: string, kind: string, averageUtilization = 100) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion, kind, name: "web" },
    maxReplicas: 9,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
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

/** Creates a pod that became ready long ago. */
async function run(name: string, cpu: string, app = name, status: object = {}): Promise<void> {
  await cluster.install({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app } },
    spec: podSpec(cpu),
  });
  const pod = objects().get(pods, "default", name)!;
  const lastTransitionTime = "2020-01-01T00:00:00Z";
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
  const settled = { phase: "Running", startTime: lastTransitionTime, conditions, ...status };
  await objects().update("test", { ...pod, status: settled }, "status");
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

test.each([
  ["apps/v1", "Deployment", 'deployments/scale.apps "web" not found'],
  ["v1", "ReplicationController", 'replicationcontrollers/scale "web" not found'],
  ["networking.k8s.io/v1", "Ingress", "the server could not find the requested resource"],
  ["shop.example.com/v1", "Shop", 'no matches for kind "Shop" in group "shop.example.com"'],
])("a target of %s %s that has no scale is told of", async (apiVersion, kind, why) => {
  await cluster.install(autoscaler(apiVersion, kind));
  await reconcile({});
  expect(statusOf().conditions).toEqual([
    expect.objectContaining({
      type: "AbleToScale",
      status: "False",
      reason: "FailedGetScale",
      message: `the HPA controller was unable to get the target's current scale: ${why}`,
    }),
  ]);
  expect(objects().list("events")).toMatchObject([{ reason: "FailedGetScale", message: why }]);
});

test("a custom resource is scaled at the paths of its scale", async () => {
  await cluster.install({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "shops.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Shop", plural: "shops" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            scale: {
              specReplicasPath: ".spec.tills",
              statusReplicasPath: ".status.tills",
              labelSelectorPath: ".status.selector",
            },
          },
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  });
  const shop = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name: "web" }, spec: { tills: 1 } };
  await cluster.install(shop, autoscaler("example.com/v1", "Shop"));
  await reconcile({});
  expect(statusOf().conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "False", reason: "InvalidSelector" }),
  );
  await cluster.install({ ...shop, status: { selector: "app=web" } });
  await run("web", "100m");
  await reconcile({ web: "300m" });
  expect(objects().get("shops.example.com", "default", "web")).toMatchObject({ spec: { tills: 3 } });
  expect(statusOf()).toMatchObject({ currentReplicas: 1, desiredReplicas: 3 });
});

// The clock begins with the year 2024.
const justStarted = {
  startTime: "2024-01-01T00:00:00Z",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2020-01-01T00:00:00Z" }],
};

/** Scales a Deployment of four pods to a utilization. */
async function runFour(utilization: number, behavior: object, statuses: Record<string, object> = {}) {
  const deployment = target("apps/v1", "Deployment", { matchLabels: { app: "web" } }, "100m");
  await cluster.install({ ...deployment, spec: { ...deployment.spec, replicas: 4 } });
  const own = autoscaler("apps/v1", "Deployment", utilization);
  await cluster.install({ ...own, spec: { ...own.spec, behavior } });
  for (const name of ["a", "b", "c", "d"]) await run(name, "100m", "web", statuses[name]);
}

test.each([
  ["up to a tenth more is tolerated", "108m", {}, 4],
  ["more than a lower tolerance adds pods", "108m", { scaleUp: { tolerance: "0.05" } }, 5],
  ["less than a higher one adds none", "125m", { scaleUp: { tolerance: "0.3" } }, 4],
  ["the tolerance of removals is no other's", "125m", { scaleDown: { tolerance: "0.3" } }, 5],
  ["less use than tolerated removes pods", "72m", { scaleDown: { tolerance: "250m" } }, 3],
  ["what a tolerance spares is not removed", "72m", { scaleDown: { tolerance: "300m" } }, 4],
  ["the tolerance of additions is no other's", "72m", { scaleUp: { tolerance: "0.3" } }, 3],
])(
  "%s",
  async (_, cpu, { scaleUp = {}, scaleDown = {} }: { scaleUp?: object; scaleDown?: object }, wanted) => {
    const behavior = { scaleUp, scaleDown: { stabilizationWindowSeconds: 0, ...scaleDown } };
    await runFour(100, behavior);
    await reconcile({ a: cpu, b: cpu, c: cpu, d: cpu });
    expect(replicasOf("deployments.apps")).toBe(wanted);
  },
);

test.each([
  ["all of them use more", { a: "150m", b: "150m", c: "150m", d: "150m" }, {}, 6],
  ["one has no metrics, and uses nothing", { a: "140m", b: "140m", c: "140m" }, {}, 4],
  ["some have no metrics, and more would be fewer", { a: "110m", b: "120m" }, {}, 4],
  ["one begins, and uses nothing", { a: "140m", b: "140m", c: "140m", d: "300m" }, { d: justStarted }, 4],
  ["one is pending", { a: "150m", b: "150m", c: "150m", d: "0" }, { d: { phase: "Pending" } }, 5],
  ["one has failed", { a: "150m", b: "150m", c: "150m" }, { d: { phase: "Failed" } }, 5],
])("of four pods %s", async (_, usage, statuses: Record<string, object>, wanted) => {
  await runFour(100, {}, statuses);
  await reconcile(usage);
  expect(replicasOf("deployments.apps")).toBe(wanted);
});

test("fewer pods are taken away if some have no metrics, which use what they request", async () => {
  await runFour(50, { scaleDown: { stabilizationWindowSeconds: 0 } });
  await reconcile({ a: "10m", b: "10m", c: "10m" });
  expect(replicasOf("deployments.apps")).toBe(3);
  expect(statusOf().conditions.map(({ type }) => type)).toEqual([
    "AbleToScale",
    "ScalingActive",
    "ScalingLimited",
  ]);
});
