import { afterEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { deployments } from "./deployment.ts";
import type { Deployment } from "./desired-replicas.ts";
import { replicaSets } from "../replica-set/replica-set-controller.ts";
import { pods } from "../../../control-loop/api/core.ts";
import type { ControllerName } from "../../../controllers/index.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const clock = new FakeClock();
const all: ControllerName[] = [
  "deployment",
  "replicaset",
  "scheduler",
  "node",
  "kubelet",
  "garbagecollector",
];
const start = async (controllers = all) => {
  cluster = await startTestCluster({ controllers, clock });
};
afterEach(() => cluster.stop());

/** A Deployment as a user would write it, with defaults. */
const web = (spec: object = {}, image = "web:1") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
    ...spec,
  },
});

const read = () => clusterObjects(cluster.core).get(deployments, "default", "web") as Deployment;
const sets = () => clusterObjects(cluster.core).list(replicaSets, "default");
const images = () =>
  clusterObjects(cluster.core)
    .list(pods, "default")
    .map(({ spec }) => spec.containers[0]?.image ?? "")
    .sort((a, b) => a.localeCompare(b));
const condition = (type: string) => read().status?.conditions?.find((it) => it.type === type);

describe("deploymentController()", () => {
  it("creates the pods and reports when they are available", async () => {
    await start();
    await cluster.install(web());
    await eventually(() => expect(condition("Progressing")?.reason).toBe("NewReplicaSetAvailable"));
    expect(read().status).toMatchObject({
      observedGeneration: read().metadata.generation,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(read().status).not.toHaveProperty("unavailableReplicas");
    expect(condition("Available")).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
    expect(read().metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" });
  });

  it("counts revisions exactly beyond the integers of a float", async () => {
    await start(["deployment"]);
    await cluster.install(web());
    await eventually(() => expect(sets()).toHaveLength(1));
    const [set] = sets();
    const annotations = { "deployment.kubernetes.io/revision": "9007199254740993" };
    const metadata = { ...set!.metadata, annotations: { ...set!.metadata.annotations, ...annotations } };
    await clusterObjects(cluster.core).update("tester", { ...set!, metadata });
    await cluster.install(web({}, "web:2"));
    await eventually(() =>
      expect(read().metadata.annotations).toMatchObject({
        "deployment.kubernetes.io/revision": "9007199254740994",
      }),
    );
  });

  it("reports that its pods are rejected, until they are admitted", async () => {
    await start([...all, "resourcequota"]);
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "few", namespace: "default" },
      spec: { hard: { pods: "2" } },
    };
    await cluster.install(quota);
    const hard = () =>
      clusterObjects(cluster.core).get("resourcequotas", "default", "few") as { status?: { hard?: object } };
    await eventually(() => expect(hard().status?.hard).toEqual({ pods: "2" }));
    await cluster.install(web());
    await eventually(() =>
      expect(condition("ReplicaFailure")).toMatchObject({ status: "True", reason: "FailedCreate" }),
    );
    expect(condition("ReplicaFailure")?.message).toContain("exceeded quota: few");
    await cluster.install({ ...quota, spec: { hard: { pods: "5" } } });
    await eventually(() => expect(hard().status?.hard).toEqual({ pods: "5" }));
    await clock.advance(10_000);
    await eventually(() => expect(read().status).toMatchObject({ readyReplicas: 3 }));
    expect(condition("ReplicaFailure")).toBeUndefined();
  });

  it("reports what it scales", async () => {
    await start(["deployment"]);
    await cluster.install(web());
    const events = () => clusterObjects(cluster.core).list("events", "default");
    await eventually(() =>
      expect(events()).toMatchObject([
        {
          reason: "ScalingReplicaSet",
          message: `Scaled up replica set ${sets()[0]?.metadata.name} from 0 to 3`,
          involvedObject: { kind: "Deployment", name: "web", uid: read().metadata.uid },
          source: { component: "deployment-controller" },
        },
      ]),
    );
  });

  it("rolls out a new template and keeps the old ReplicaSet for a rollback", async () => {
    await start();
    await cluster.install(web());
    await eventually(() => expect(read().status?.availableReplicas).toBe(3));
    await cluster.install(web({}, "web:2"));
    await eventually(() => expect(images()).toEqual(["web:2", "web:2", "web:2"]));
    await eventually(() =>
      expect(
        sets()
          .map(({ spec }) => spec.replicas ?? 1)
          .sort((a, b) => a - b),
      ).toEqual([0, 3]),
    );

    await cluster.install(web({}, "web:1"));
    await eventually(() => expect(images()).toEqual(["web:1", "web:1", "web:1"]));
    expect(sets()).toHaveLength(2);
    await eventually(() =>
      expect(read().metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "3" }),
    );
    expect(
      sets().map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision-history"]),
    ).toContain("1");
  });

  it("keeps as many pods available as the strategy requires", async () => {
    await start(["deployment", "replicaset", "scheduler", "node"]);
    await cluster.install(web({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
    await eventually(() => expect(images()).toHaveLength(3));
    await cluster.install(web({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }, "web:2"));
    await eventually(() => expect(images()).toEqual(["web:1", "web:1", "web:1", "web:2"]));
    expect(condition("Available")).toMatchObject({ status: "False", reason: "MinimumReplicasUnavailable" });
  });

  it("reports a rollout that exceeds its progress deadline", async () => {
    await start(["deployment", "replicaset"]);
    await cluster.install(web({ progressDeadlineSeconds: 60 }));
    await eventually(() => expect(read().status?.replicas).toBe(3));
    await clock.advance(61_000);
    await eventually(() =>
      expect(condition("Progressing")).toMatchObject({ status: "False", reason: "ProgressDeadlineExceeded" }),
    );
  });

  it("waits for the deletion of all old pods with Recreate", async () => {
    await start();
    await cluster.install(web({ strategy: { type: "Recreate" } }));
    await eventually(() => expect(read().status?.availableReplicas).toBe(3));
    await cluster.install(web({ strategy: { type: "Recreate" } }, "web:2"));
    await eventually(() => expect(images()).toEqual(["web:2", "web:2", "web:2"]));
  });

  it("rolls out nothing while paused, but scales", async () => {
    await start();
    await cluster.install(web());
    await eventually(() => expect(read().status?.availableReplicas).toBe(3));
    await cluster.install(web({ paused: true, replicas: 5 }, "web:2"));
    await eventually(() => expect(images()).toEqual(["web:1", "web:1", "web:1", "web:1", "web:1"]));
    expect(condition("Progressing")).toMatchObject({ reason: "DeploymentPaused" });
    await cluster.install(web({ replicas: 5 }, "web:2"));
    await eventually(() => expect(new Set(images())).toEqual(new Set(["web:2"])));
  });

  it("keeps old ReplicaSets up to revisionHistoryLimit", async () => {
    await start();
    for (const image of ["web:1", "web:2", "web:3"]) {
      await cluster.install(web({ replicas: 1, revisionHistoryLimit: 1 }, image));
      await eventually(() => expect(images()).toEqual([image]));
    }
    await eventually(() => expect(sets()).toHaveLength(2));
  });

  it("adopts a ReplicaSet that its selector matches", async () => {
    await start(["deployment"]);
    const { spec } = web();
    await cluster.install({
      ...web(),
      kind: "ReplicaSet",
      metadata: { name: "old", namespace: "default", labels: { app: "web" } },
      spec: { ...spec, replicas: 0 },
    });
    await cluster.install(web());
    await eventually(() =>
      expect(sets().find(({ metadata }) => metadata.name === "old")?.metadata.ownerReferences).toMatchObject([
        { kind: "Deployment", name: "web", controller: true },
      ]),
    );
  });
});
