import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { type ReplicaSet, replicaSets } from "./replica-set-controller.ts";
import { pods } from "../../../control-loop/api/core.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const clock = new FakeClock();
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["replicaset", "scheduler", "node", "kubelet"], clock });
});
afterEach(() => cluster.stop());

const web = (replicas: number, spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
    ...spec,
  },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(replicaSets, "default", "web") as ReplicaSet;
const listPods = () => objects().list(pods, "default");

describe("replicaSetController()", () => {
  it("creates missing pods, deletes surplus ones and replaces deleted ones", async () => {
    await cluster.install(web(2));
    await eventually(() => expect(read().status).toMatchObject({ replicas: 2, readyReplicas: 2 }));
    await cluster.install(web(4));
    await eventually(() => expect(read().status).toMatchObject({ replicas: 4, fullyLabeledReplicas: 4 }));
    await cluster.install(web(1));
    await eventually(() => expect(listPods()).toHaveLength(1));
    const [old] = listPods();
    await objects().delete("tester", old!);
    await eventually(() => {
      expect(listPods()).toHaveLength(1);
      expect(listPods()[0]?.metadata.uid).not.toBe(old?.metadata.uid);
    });
  });

  it("notices a corrected number of replicas while it creates pods", async () => {
    await cluster.install(web(100_000));
    await eventually(() => expect(listPods().length).toBeGreaterThan(0));
    await cluster.install(web(1));
    await eventually(() => expect(read().status).toMatchObject({ replicas: 1 }));
    await eventually(() => expect(listPods()).toHaveLength(1));
  });

  it("adopts pods that match, and releases those that no longer do", async () => {
    await cluster.install({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "stray", namespace: "default", labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    });
    await cluster.install(web(1));
    const stray = () => objects().get(pods, "default", "stray");
    await eventually(() => expect(stray()?.metadata.ownerReferences).toMatchObject([{ name: "web" }]));
    expect(listPods()).toHaveLength(1);
    await objects().update("tester", {
      ...stray()!,
      metadata: { ...stray()!.metadata, labels: { app: "other" } },
    });
    await eventually(() => expect(listPods()).toHaveLength(2));
    await eventually(() => expect(stray()?.metadata.ownerReferences ?? []).toEqual([]));
  });

  it("counts pods as available only after minReadySeconds", async () => {
    await cluster.install(web(1, { minReadySeconds: 30 }));
    await eventually(() => expect(read().status?.readyReplicas).toBe(1));
    expect(read().status).not.toHaveProperty("availableReplicas");
    await clock.advance(30_000);
    await eventually(() => expect(read().status?.availableReplicas).toBe(1));
  });

  it("reports pods that the server rejects, and removes the condition once they are admitted", async () => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none", namespace: "default" },
      spec: { hard: { pods: "0" } },
    };
    await cluster.install(quota);
    const stored = objects().get("resourcequotas", "default", "none")!;
    const status = { hard: { pods: "0" }, used: { pods: "0" } };
    await objects().update("tester", { ...stored, status } as typeof stored, "status");
    await cluster.install(web(2));
    const refusal = /^pods "web-\w{5}" is forbidden: exceeded quota: none, requested: pods=1/;
    await eventually(() =>
      expect(read().status?.conditions).toMatchObject([
        {
          type: "ReplicaFailure",
          status: "True",
          reason: "FailedCreate",
          message: expect.stringMatching(refusal),
        },
      ]),
    );
    expect(objects().list("events", "default")).toContainEqual(
      expect.objectContaining({
        type: "Warning",
        reason: "FailedCreate",
        message: expect.stringMatching(/^Error creating: pods "web-\w{5}" is forbidden: exceeded quota/),
      }),
    );
    await objects().delete("tester", stored);
    await clock.advance(10_000);
    await eventually(() => expect(read().status).toMatchObject({ replicas: 2 }));
    expect(read().status).not.toHaveProperty("conditions");
  });
});
