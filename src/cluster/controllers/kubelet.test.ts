import { afterEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../registry/cluster-objects.ts";
import { nodes, type Pod, pods } from "../control-loop/api/core.ts";
import type { ControllerName } from "./index.ts";
import { eventually } from "../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const clock = new FakeClock();
const start = async (controllers: ControllerName[] = ["scheduler", "node", "kubelet"]) => {
  cluster = await startTestCluster({ controllers, clock });
};
afterEach(() => cluster.stop());

const pod = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", ...metadata },
  spec: { containers: [{ name: "web", image: "web:1" }], ...spec },
});

const objects = () => clusterObjects(cluster.core);
const read = (name = "web") => objects().get(pods, "default", name) as Pod;
const condition = (type: string) => read().status?.conditions?.find((it) => it.type === type);

describe("scheduler()", () => {
  it("binds a pod to a node", async () => {
    await start();
    await cluster.install(pod());
    await eventually(() => expect(read().spec.nodeName).toBe("tsbuilder-node"));
    await eventually(() => expect(condition("PodScheduled")?.status).toBe("True"));
  });

  it("reports why a pod is unschedulable, and binds it once that changes", async () => {
    await start();
    await cluster.install(pod({ nodeSelector: { disk: "ssd" } }));
    await eventually(() =>
      expect(condition("PodScheduled")).toMatchObject({ status: "False", reason: "Unschedulable" }),
    );
    await cluster.install({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "fast", labels: { disk: "ssd" } },
    });
    await eventually(() => expect(read().spec.nodeName).toBe("fast"));
  });

  it("waits until the claims of a pod are bound", async () => {
    await start();
    await cluster.install(pod({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }));
    await eventually(() =>
      expect(condition("PodScheduled")?.message).toContain('persistentvolumeclaim "data" not found'),
    );
  });

  it("ignores pods with scheduling gates or another schedulerName", async () => {
    await start();
    await cluster.install(
      pod({ schedulingGates: [{ name: "test.io/gate" }] }),
      pod({ schedulerName: "mine" }, { name: "mine" }),
      pod({}, { name: "free" }),
    );
    await eventually(() => expect(read("free").spec.nodeName).toBe("tsbuilder-node"));
    expect([read().spec.nodeName, read("mine").spec.nodeName]).toEqual([undefined, undefined]);
  });

  it("schedules no pods on nodes with taints that they don't tolerate", async () => {
    await start(["scheduler", "node"]);
    await eventually(() => expect(objects().list(nodes)).toHaveLength(1));
    const [node] = objects().list(nodes);
    const taints = [{ key: "only", value: "db", effect: "NoSchedule" }];
    await objects().update("tester", { ...node!, spec: { ...node!.spec, taints } });
    await cluster.install(pod(), pod({ tolerations: [{ key: "only", operator: "Exists" }] }, { name: "db" }));
    await eventually(() => expect(read("db").spec.nodeName).toBe("tsbuilder-node"));
    expect(read().spec.nodeName).toBeUndefined();
  });
});

describe("kubelet()", () => {
  it("makes a pod ready, with an IP and running containers", async () => {
    await start();
    await cluster.install(pod({ initContainers: [{ name: "init", image: "init:1" }] }));
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    expect(read().status).toMatchObject({
      hostIP: "10.0.0.1",
      podIP: expect.stringMatching(/^10\.244\./) as string,
      containerStatuses: [{ name: "web", image: "web:1", ready: true, started: true, restartCount: 0 }],
      initContainerStatuses: [{ name: "init", state: { terminated: { exitCode: 0 } } }],
    });
    for (const type of ["Initialized", "PodScheduled", "ContainersReady", "Ready"]) {
      expect(condition(type)?.status).toBe("True");
    }
  });

  it("observes each generation of a pod, in its status and its conditions", async () => {
    await start();
    await cluster.install(pod({ activeDeadlineSeconds: 100 }));
    const states = () => [read().status?.observedGeneration, condition("Ready")?.observedGeneration];
    await eventually(() => expect(states()).toEqual([1, 1]));
    await objects().update("tester", { ...read(), spec: { ...read().spec, activeDeadlineSeconds: 90 } });
    await eventually(() => expect(states()).toEqual([2, 2]));
  });

  it("reports the resources of containers", async () => {
    await start();
    const resources = { limits: { cpu: "2" }, requests: { cpu: "1" } };
    await cluster.install(pod({ containers: [{ name: "web", image: "web:1", resources }] }));
    await eventually(() =>
      expect(read().status?.containerStatuses).toMatchObject([
        { resources, allocatedResources: { cpu: "1" } },
      ]),
    );
  });

  it("keeps a pod pending until the ConfigMaps and Secrets that it needs exist", async () => {
    await start();
    const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "login", key: "password" } } }];
    const envFrom = [{ configMapRef: { name: "extra", optional: true } }];
    await cluster.install(
      pod({
        containers: [{ name: "web", image: "web:1", env, envFrom }],
        volumes: [{ name: "conf", configMap: { name: "conf" } }],
      }),
    );
    await eventually(() =>
      expect(read().status).toMatchObject({
        phase: "Pending",
        containerStatuses: [
          {
            state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "login" not found' } },
          },
        ],
      }),
    );
    await cluster.install({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "default" },
    });
    await eventually(() =>
      expect(read().status).toMatchObject({
        containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }],
      }),
    );
    await cluster.install({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "conf", namespace: "default" },
    });
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    expect(condition("Ready")?.status).toBe("True");
  });

  it("gives every pod its own IP", async () => {
    await start();
    const names = ["a", "b", "c"];
    await cluster.install(...names.map((name) => pod({}, { name })));
    await eventually(() => expect(names.map((name) => read(name).status?.phase)).not.toContain("Pending"));
    expect(new Set(names.map((name) => read(name).status?.podIP)).size).toBe(3);
  });

  it("removes a deleted pod without waiting for its grace period", async () => {
    await start();
    await cluster.install(pod());
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    await objects().delete("tester", read());
    await eventually(() => expect(read()).toBeUndefined());
  });

  it("makes the pod of a Job succeed after a second", async () => {
    await start();
    const [job] = await cluster.install({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "work", namespace: "default" },
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image: "work:1" }] } },
      },
    });
    const owner = {
      apiVersion: "batch/v1",
      kind: "Job",
      name: "work",
      uid: job!.metadata.uid,
      controller: true,
    };
    await cluster.install(pod({ restartPolicy: "Never" }, { ownerReferences: [owner] }));
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    await clock.advance(1000);
    await eventually(() => expect(read().status?.phase).toBe("Succeeded"));
    expect(condition("Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
  });

  it("makes the pod of a Job succeed a second after it got what it waited for, however long that took", async () => {
    await start();
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "work", uid: "1", controller: true };
    const envFrom = [{ secretRef: { name: "late" } }];
    const spec = { restartPolicy: "Never", containers: [{ name: "work", image: "work:1", envFrom }] };
    await cluster.install(pod(spec, { ownerReferences: [owner] }));
    await eventually(() => expect(condition("PodScheduled")?.status).toBe("True"));
    await clock.advance(10_000);
    expect(read().status?.phase).toBe("Pending");
    await cluster.install({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "late", namespace: "default" },
    });
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    await clock.advance(999);
    expect(read().status?.phase).toBe("Running");
    await clock.advance(1);
    await eventually(() => expect(read().status?.phase).toBe("Succeeded"));
  });

  it("makes a pod fail that has run for longer than its activeDeadlineSeconds", async () => {
    await start();
    await cluster.install(pod({ activeDeadlineSeconds: 30 }));
    await eventually(() => expect(read().status?.phase).toBe("Running"));
    await clock.advance(29_000);
    expect(read().status?.phase).toBe("Running");
    await clock.advance(1000);
    await eventually(() =>
      expect(read().status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" }),
    );
    expect(condition("Ready")).toMatchObject({ status: "False", reason: "PodFailed" });
    expect(read().status?.containerStatuses).toMatchObject([{ state: { terminated: { exitCode: 137 } } }]);
  });
});

describe("fakeNode()", () => {
  it("reports the version of a node that another client created", async () => {
    await start(["node"]);
    await cluster.install({ apiVersion: "v1", kind: "Node", metadata: { name: "other" } });
    const info = () => objects().get(nodes, undefined, "other")?.status?.nodeInfo;
    await eventually(() =>
      expect(info()).toMatchObject({
        kubeletVersion: expect.stringMatching(/^v1\./) as string,
        machineID: "other",
      }),
    );
  });

  it("registers a ready node and renews its lease", async () => {
    await start();
    await eventually(() => expect(objects().list(nodes)[0]?.status?.conditions).toHaveLength(4));
    const lease = () => objects().get("leases.coordination.k8s.io", "kube-node-lease", "tsbuilder-node");
    await eventually(() => expect(lease()).toBeDefined());
    const before = lease()?.metadata.resourceVersion;
    await clock.advance(10_000);
    await eventually(() => expect(lease()?.metadata.resourceVersion).not.toBe(before));
  });
});
