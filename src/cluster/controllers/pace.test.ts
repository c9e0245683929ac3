import { FakeClock } from "@tsbuilder/apimachinery/time";
import { type TestCluster, startTestCluster } from "@tsbuilder/cluster/testing";
import { afterEach, expect, test } from "vitest";
import { nodes, persistentVolumeClaims, pods } from "../control-loop/api/core.ts";
import type { Pace } from "../control-loop/pace.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { ControllerName } from "./index.ts";

const seconds: Readonly<Record<string, number>> = {
  schedule: 2,
  start: 5,
  ready: 10,
  run: 20,
  stop: 40,
  bind: 7,
};
const pace: Pace = (step) => seconds[step]! * 1000;

let cluster: TestCluster;
let clock: FakeClock;
const start = async (controllers: ControllerName[] = ["scheduler", "node", "kubelet", "tainteviction"]) => {
  clock = new FakeClock();
  cluster = await startTestCluster({ controllers, clock, pace });
  await clock.advance(0);
};
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const pod = () => objects().get(pods, "default", "web");
const ready = () => pod()?.status?.conditions?.find(({ type }) => type === "Ready");
const wait = (time: number) => clock.advance(time * 1000);

const web = (spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { containers: [{ name: "web", image: "web:1" }], ...spec },
});

test("a pod that never starts waits for its image, and is deleted at once", async () => {
  clock = new FakeClock();
  const controllers: ControllerName[] = ["scheduler", "node", "kubelet"];
  const never: Pace = (step) => (step === "start" ? Infinity : 0);
  cluster = await startTestCluster({ controllers, clock, pace: never });
  await cluster.install(web());
  await wait(3600);
  expect(pod()?.status?.phase).toBe("Pending");
  expect(ready()).toMatchObject({ status: "False", reason: "ContainersNotReady" });
  expect(pod()?.status?.containerStatuses).toMatchObject([
    {
      ready: false,
      state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "web:1"' } },
    },
  ]);
  await objects().delete("user", pod()!, {});
  await wait(0);
  expect(pod()).toBeUndefined();
});

test("a pod is scheduled, started and ready as late as its pace says", async () => {
  await start();
  await cluster.install(web());
  await wait(1);
  expect(pod()?.spec.nodeName).toBeUndefined();
  await wait(1);
  expect([pod()?.spec.nodeName, pod()?.status?.phase]).toEqual(["tsbuilder-node", "Pending"]);
  await wait(5);
  expect(pod()?.status?.phase).toBe("Running");
  expect(ready()).toMatchObject({ status: "False", reason: "ContainersNotReady" });
  expect(pod()?.status?.containerStatuses).toMatchObject([{ ready: false, started: false }]);
  await wait(9);
  expect(ready()?.status).toBe("False");
  await wait(1);
  expect(ready()?.status).toBe("True");
  expect(pod()?.status?.containerStatuses).toMatchObject([{ ready: true, started: true }]);
});

test("a container that starts again is ready as late as before", async () => {
  await start();
  await cluster.install(web());
  await wait(17);
  expect(ready()?.status).toBe("True");
  const [container] = pod()!.status!.containerStatuses!;
  const state = { running: { startedAt: new Date(clock.now()).toISOString().replace(".000", "") } };
  const status = { ...pod()!.status, containerStatuses: [{ ...container!, restartCount: 1, state }] };
  await objects().update("tester", { ...pod()!, status }, "status");
  await wait(9);
  expect(ready()?.status).toBe("False");
  await wait(1);
  expect(ready()?.status).toBe("True");
});

test("a deleted pod stays until its containers have ended, at most for its grace period", async () => {
  await start();
  await cluster.install(web({ terminationGracePeriodSeconds: 30 }));
  await wait(17);
  await objects().delete("tester", pod()!);
  await wait(29);
  expect(pod()?.metadata.deletionTimestamp).toBeDefined();
  await wait(1);
  expect(pod()).toBeUndefined();
});

test("a claim is bound as late as its pace says, and its pod waits for it", async () => {
  await start(["scheduler", "node", "kubelet", "persistentvolume"]);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const metadata = { name: "data", namespace: "default" };
  await cluster.install(
    { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec },
    web({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }),
  );
  const phase = () => objects().get(persistentVolumeClaims, "default", "data")?.status?.phase;
  await wait(6);
  expect([phase(), pod()?.spec.nodeName]).toEqual(["Pending", undefined]);
  await wait(1);
  expect([phase(), pod()?.spec.nodeName]).toEqual(["Bound", "tsbuilder-node"]);
});

test("the pods of a node that can't be reached aren't ready, and stay until it is back, though they are evicted", async () => {
  await start();
  await cluster.install(web());
  await wait(17);
  const setReady = async (status: "True" | "Unknown") => {
    const [node] = objects().list(nodes);
    const conditions = node!.status!.conditions!.map((each) =>
      each.type === "Ready" ? { ...each, status } : each,
    );
    await objects().update("tester", { ...node!, status: { ...node!.status, conditions } }, "status");
    await wait(0);
  };
  const taints = () => objects().list(nodes)[0]?.spec?.taints ?? [];
  await setReady("Unknown");
  expect(ready()?.status).toBe("False");
  expect(taints().map(({ key, effect }) => `${key}:${effect}`)).toEqual([
    "node.kubernetes.io/unreachable:NoSchedule",
    "node.kubernetes.io/unreachable:NoExecute",
  ]);
  await setReady("True");
  expect([ready()?.status, taints()]).toEqual(["True", []]);

  await setReady("Unknown");
  await wait(299);
  expect(pod()?.metadata.deletionTimestamp).toBeUndefined();
  await wait(600);
  expect(pod()?.metadata.deletionTimestamp).toBeDefined();
  await setReady("True");
  expect(pod()).toBeUndefined();
});
