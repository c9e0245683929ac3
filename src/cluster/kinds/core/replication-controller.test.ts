import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { pods } from "../../control-loop/api/core.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";
import { type ReplicationController, replicationControllers } from "./replication-controller.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({
    controllers: ["replicationcontroller", "scheduler", "node", "kubelet"],
  });
});
afterEach(() => cluster.stop());

const web = (replicas: number) => ({
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { app: "web" },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(replicationControllers, "default", "web") as ReplicationController;
const listPods = () => objects().list(pods, "default");

describe("replicationControllerController()", () => {
  it("keeps as many pods as its replicas say, and counts them", async () => {
    await cluster.install(web(2));
    await eventually(() =>
      expect(read().status).toEqual({
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        observedGeneration: 1,
      }),
    );
    const owner = { apiVersion: "v1", kind: "ReplicationController", name: "web", controller: true };
    expect(listPods()[0]!.metadata.ownerReferences).toMatchObject([owner]);
    await cluster.install(web(1));
    await eventually(() => expect(listPods()).toHaveLength(1));
    expect(objects().list("events", "default")).toContainEqual(
      expect.objectContaining({
        reason: "SuccessfulDelete",
        source: { component: "replication-controller" },
      }),
    );
  });

  it("adopts pods that match, and releases those that no longer do", async () => {
    const metadata = { name: "stray", namespace: "default", labels: { app: "web" } };
    const { spec } = web(1).spec.template;
    await cluster.install({ apiVersion: "v1", kind: "Pod", metadata, spec });
    await cluster.install(web(1));
    const stray = () => objects().get(pods, "default", "stray")!;
    await eventually(() => expect(stray().metadata.ownerReferences).toMatchObject([{ name: "web" }]));
    expect(listPods()).toHaveLength(1);
    await objects().update("tester", {
      ...stray(),
      metadata: { ...stray().metadata, labels: { app: "other" } },
    });
    await eventually(() => expect(listPods()).toHaveLength(2));
    await eventually(() => expect(stray().metadata.ownerReferences ?? []).toEqual([]));
  });
});
