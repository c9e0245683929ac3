import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { type DaemonSet, daemonSets } from "./daemon-set.ts";
import { controllerRevisions } from "../../../control-loop/revisions/controller-revisions.ts";
import { pods } from "../../../control-loop/api/core.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["daemonset", "scheduler", "node", "kubelet"] });
});
afterEach(() => cluster.stop());

const agent = (image: string, spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "agent", image }], ...spec },
    },
  },
});
const node = (name: string, labels: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(daemonSets, "default", "agent") as DaemonSet;
const places = () =>
  objects()
    .list(pods, "default")
    .map(({ spec }) => spec.nodeName ?? "")
    .sort((a, b) => a.localeCompare(b));

describe("daemonSetController()", () => {
  it("runs one pod on every node, including new ones", async () => {
    await cluster.install(agent("agent:1"));
    await eventually(() => expect(places()).toEqual(["tsbuilder-node"]));
    await cluster.install(node("other"));
    await eventually(() => expect(places()).toEqual(["other", "tsbuilder-node"]));
    await eventually(() =>
      expect(read().status).toMatchObject({
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        numberReady: 2,
        numberAvailable: 2,
        updatedNumberScheduled: 2,
        numberMisscheduled: 0,
        observedGeneration: 1,
      }),
    );
  });

  it("writes the data of its revisions in the order of their keys", async () => {
    await cluster.install(agent("agent:1"));
    await eventually(() => expect(objects().list(controllerRevisions, "default")).toHaveLength(1));
    const { template } = objects().list(controllerRevisions, "default")[0]!.data.spec;
    const keys = Object.keys(template.spec.containers[0]!);
    expect(Object.keys(template)).toEqual(["$patch", "metadata", "spec"]);
    expect(keys).toEqual(keys.toSorted());
  });

  it("creates pods only on nodes that match the node selector", async () => {
    await cluster.install(node("gpu", { gpu: "yes" }));
    await cluster.install(agent("agent:1", { nodeSelector: { gpu: "yes" } }));
    await eventually(() => expect(places()).toEqual(["gpu"]));
    expect(read().status?.desiredNumberScheduled).toBe(1);
  });

  it("replaces pods when the template changes", async () => {
    await cluster.install(agent("agent:1"));
    await eventually(() => expect(read().status?.numberReady).toBe(1));
    await cluster.install(agent("agent:2"));
    await eventually(() => {
      expect(
        objects()
          .list(pods, "default")
          .map(({ spec }) => spec.containers[0]?.image),
      ).toEqual(["agent:2"]);
      expect(read().status).toMatchObject({
        updatedNumberScheduled: 1,
        numberAvailable: 1,
        observedGeneration: 2,
      });
    });
  });
});
