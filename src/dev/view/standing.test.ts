import { expect, test } from "vitest";
import { standingOf } from "./standing.ts";

const made = (rest: object, metadata: object = {}) =>
  standingOf({ apiVersion: "a.example/v1", kind: "A", metadata: { name: "a", ...metadata }, ...rest });

test("the worst condition decides, and says why", () => {
  const conditions = [
    { type: "Available", status: "True" },
    { type: "Degraded", status: "True", reason: "NoPrimary", message: "no replica can be promoted" },
    { type: "Progressing", status: "True" },
  ];
  expect(made({ status: { conditions } })).toMatchObject({
    tone: "bad",
    why: "Degraded: NoPrimary: no replica can be promoted",
  });
});

test.each([
  [
    "a Pod that has ended",
    {
      status: {
        phase: "Succeeded",
        conditions: [{ type: "Ready", status: "False", reason: "PodCompleted" }],
      },
    },
    "good",
    "",
  ],
  [
    "a ReplicaSet that lacks Pods",
    { spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 1 } },
    "busy",
    "1 of 3 ready",
  ],
  ["a kind that does not count replicas", { spec: { replicas: 3 } }, "none", ""],
  ["a DaemonSet that is complete", { status: { desiredNumberScheduled: 2, numberReady: 2 } }, "good", ""],
  ["a claim that is lost", { status: { phase: "Lost" } }, "bad", "Lost"],
  ["a ConfigMap", { data: {} }, "none", ""],
  ["a status of another form", { status: { conditions: [5, { type: 7 }] } }, "none", ""],
])("%s", (_, object, tone, why) => {
  expect(made(object)).toMatchObject({ tone, why });
});

const pod = (state: object, metadata: object = {}) =>
  made(
    {
      apiVersion: "v1",
      kind: "Pod",
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady" }],
        containerStatuses: [{ name: "web", state }],
      },
    },
    metadata,
  );

test("a Pod fails with its containers, and starts without a failure", () => {
  expect(pod({ waiting: { reason: "CrashLoopBackOff" } })).toMatchObject({
    tone: "bad",
    why: "container web: CrashLoopBackOff",
  });
  expect(pod({ waiting: { reason: "ImagePullBackOff" } })).toMatchObject({ tone: "bad" });
  expect(pod({ waiting: { reason: "ContainerCreating" } })).toMatchObject({ tone: "busy" });
});

test("a Pod whose containers were stopped to delete it is no failure", () => {
  const ended = { terminated: { exitCode: 143, reason: "Error" } };
  expect(pod(ended, { deletionTimestamp: "2026-01-01T00:00:00Z" })).toMatchObject({ tone: "busy" });
});

test("a Pod that no node has room for waits", () => {
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];
  expect(made({ apiVersion: "v1", kind: "Pod", status: { phase: "Pending", conditions } })).toMatchObject({
    tone: "busy",
  });
});

test.each([[5], [[5]], [null]])(
  "a Pod with %j for its containers is read without them",
  (containerStatuses) => {
    const status = { phase: "Running", containerStatuses, initContainerStatuses: [{ state: null }] };
    expect(made({ apiVersion: "v1", kind: "Pod", status })).toMatchObject({ tone: "none" });
  },
);

test.each([
  ["True", "good"],
  ["False", "bad"],
  ["Unknown", "bad"],
])("a Node with Ready=%s is %s", (status, tone) => {
  const conditions = [
    { type: "MemoryPressure", status: status === "Unknown" ? "Unknown" : "False" },
    { type: "Ready", status, reason: "Kubelet" },
  ];
  expect(made({ apiVersion: "v1", kind: "Node", status: { conditions } })).toMatchObject({ tone });
});

test.each([
  [{ replicas: 3 }, "none", ""],
  [{ replicas: 2 }, "busy", "2 of 3 exist"],
  [{ replicas: 3, readyReplicas: 0 }, "busy", "0 of 3 ready"],
])("a kind of a project with %j of 3 replicas", (status, tone, why) => {
  expect(made({ spec: { replicas: 3 }, status })).toMatchObject({ tone, why });
});

test("a workload without readyReplicas has none: Kubernetes omits a zero", () => {
  const set = { apiVersion: "apps/v1", kind: "ReplicaSet", spec: { replicas: 3 }, status: { replicas: 3 } };
  expect(made(set)).toMatchObject({ tone: "busy", why: "0 of 3 ready" });
});

test("an old observedGeneration and a deletion are work that goes on", () => {
  const status = { observedGeneration: 1, conditions: [{ type: "Ready", status: "True" }] };
  expect(made({ status }, { generation: 2 })).toMatchObject({ tone: "busy" });
  expect(made({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })).toMatchObject({
    tone: "busy",
    why: "is being deleted",
  });
});
