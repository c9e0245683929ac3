import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../e2e/support/eventually.ts";
import { type Node, type Pod, nodes, pods } from "../../../control-loop/api/core.ts";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../../../testing/index.ts";

// Nodes with a kubelet beside those that are only pretended.

let cluster: TestCluster;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startTestCluster({
    controllers: ["node", "scheduler", "kubelet", "tainteviction"],
    clock,
  });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const nodeNamed = (name: string) => objects().get(nodes, undefined, name) as Node;
const podNamed = (name: string) => objects().get(pods, "default", name) as Pod;
const taintsOf = (name: string) => nodeNamed(name).spec?.taints?.map(({ key }) => key) ?? [];
const iso = () => new Date(clock.now()).toISOString().replace(/\.\d+Z$/u, "Z");

/** What a kubelet registers and keeps writing. */
const status = () => ({
  addresses: [{ type: "InternalIP", address: "10.1.2.3" }],
  allocatable: { cpu: "2", memory: "4Gi", pods: "110" },
  conditions: [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "K",
      lastHeartbeatTime: iso(),
      lastTransitionTime: iso(),
    },
    { type: "Ready", status: "True", reason: "K", lastHeartbeatTime: iso(), lastTransitionTime: iso() },
  ],
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
});
const join = () =>
  cluster.install({ apiVersion: "v1", kind: "Node", metadata: { name: "real" }, status: status() });
const renewLease = (ahead = 0) =>
  cluster.install({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "real", namespace: "kube-node-lease" },
    spec: {
      holderIdentity: "real",
      renewTime: new Date(clock.now() + ahead).toISOString().replace("Z", "000Z"),
    },
  });
const pod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

test("the status of a kubelet's node and of its pods is left to it", async () => {
  await join();
  await cluster.install(pod("own", { nodeName: "real" }), pod("other", { nodeName: "tsbuilder-node" }));
  await eventually(() => expect(podNamed("other").status?.phase).toBe("Running"));
  expect(nodeNamed("real").status).toMatchObject(status());
  expect(nodeNamed("real").status?.capacity).toBeUndefined();
  expect(podNamed("own").status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
});

test("pods go to nodes with kubelets as long as there is one, and to others if they tolerate that nothing runs", async () => {
  await join();
  await eventually(() => expect(taintsOf("tsbuilder-node")).toEqual(["tsbuilder.dev/pretended"]));
  await eventually(() => expect(taintsOf("real")).toEqual([]));
  const pretended = {
    nodeSelector: { "kubernetes.io/hostname": "tsbuilder-node" },
    tolerations: [{ key: "tsbuilder.dev/pretended", operator: "Exists" }],
  };
  await cluster.install(pod("a"), pod("b"), pod("pretended", pretended));
  await eventually(() => expect(podNamed("pretended").status?.phase).toBe("Running"));
  await eventually(() =>
    expect([podNamed("a"), podNamed("b")].map(({ spec }) => spec.nodeName)).toEqual(["real", "real"]),
  );
  await objects().delete("test", nodeNamed("real"));
  await eventually(() => expect(taintsOf("tsbuilder-node")).toEqual([]));
});

test("a kubelet that falls silent makes its node unknown, its pods unready and evicted; its next word mends it", async () => {
  await join();
  await renewLease();
  const ready = { conditions: [{ type: "Ready", status: "True" }], phase: "Running" };
  await cluster.install({ ...pod("own", { nodeName: "real" }), status: ready });
  await objects().update("test", { ...podNamed("own"), status: ready } as Pod, "status");
  await clock.advance(40_000);
  await renewLease();
  await clock.advance(40_000);
  expect(taintsOf("real")).toEqual([]);
  await clock.advance(30_000);
  const unknown = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  };
  const never = { status: "Unknown", reason: "NodeStatusNeverUpdated" };
  await eventually(() =>
    expect(nodeNamed("real").status?.conditions).toMatchObject([
      { type: "MemoryPressure", ...unknown },
      { type: "Ready", ...unknown },
      { type: "DiskPressure", ...never },
      { type: "PIDPressure", ...never },
    ]),
  );
  await eventually(() =>
    expect(nodeNamed("real").spec?.taints).toMatchObject([
      { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" },
      { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
    ]),
  );
  await eventually(() =>
    expect(podNamed("own").status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False"),
  );
  await eventually(() => expect(taintsOf("tsbuilder-node")).toEqual([]));
  const told = objects().list("events") as unknown as { reason: string; message: string }[];
  expect(told.filter(({ reason }) => reason === "NodeNotReady").map(({ message }) => message)).toEqual([
    "Node is not ready",
    "Node real status is now: NodeNotReady",
  ]);
  await renewLease();
  await objects().update("test", { ...nodeNamed("real"), status: status() } as never, "status");
  await eventually(() => expect(taintsOf("real")).toEqual([]));
});

test.each([-2, 2])("the clock of a kubelet may be wrong by %i hours", async (hours) => {
  await join();
  for (let minute = 0; minute < 3; minute += 0.5) {
    await renewLease(hours * 3_600_000);
    await clock.advance(30_000);
    expect(taintsOf("real")).toEqual([]);
  }
  await clock.advance(60_000);
  await eventually(() => expect(taintsOf("real")).toContain("node.kubernetes.io/unreachable"));
});

test("a kubelet that registers and says no more is missed, and what was Unknown before keeps its time", async () => {
  const since = { status: "Unknown", reason: "K", lastHeartbeatTime: iso(), lastTransitionTime: iso() };
  const conditions = [
    { ...since, type: "DiskPressure" },
    { ...since, type: "NetworkUnavailable", status: "False" },
  ];
  await cluster.install(
    { apiVersion: "v1", kind: "Node", metadata: { name: "real" }, status: { ...status(), conditions } },
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "mute" },
      status: { ...status(), conditions: undefined },
    },
  );
  await clock.advance(70_000);
  const never = { status: "Unknown", reason: "NodeStatusNeverUpdated" };
  await eventually(() =>
    expect(nodeNamed("mute").status?.conditions).toMatchObject([
      { type: "Ready", ...never, message: "Kubelet never posted node status." },
      { type: "MemoryPressure", ...never },
      { type: "DiskPressure", ...never },
      { type: "PIDPressure", ...never },
    ]),
  );
  await eventually(() => expect(taintsOf("mute")).toContain("node.kubernetes.io/unreachable"));
  expect(nodeNamed("real").status?.conditions?.slice(0, 2)).toEqual(conditions);
});
