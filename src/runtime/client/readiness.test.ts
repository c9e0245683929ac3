import { expect, test } from "vitest";
import { readinessOf } from "./child-order.ts";

const condition = (type: string, status: string, message = "") => ({
  type,
  status,
  message,
  reason: "X",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const ready = true;
const cases: [
  kind: string,
  fields: { spec?: object; status?: object; metadata?: object },
  expected: unknown,
][] = [
  ["v1 ConfigMap", {}, ready],
  ["v1 ConfigMap", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, "it is being deleted"],
  ["apps/v1 Deployment", {}, "its last change is not observed yet"],
  ["apps/v1 Deployment", { status: { observedGeneration: 1 } }, "0 of 1 ready"],
  ["apps/v1 Deployment", { spec: { replicas: 0 }, status: { observedGeneration: 1 } }, ready],
  [
    "apps/v1 Deployment",
    {
      spec: { replicas: 2 },
      status: { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    },
    "1 of 2 updated",
  ],
  [
    "apps/v1 Deployment",
    {
      spec: { replicas: 2 },
      status: { observedGeneration: 1, replicas: 3, updatedReplicas: 2, availableReplicas: 2 },
    },
    "1 old pods are not gone",
  ],
  [
    "apps/v1 Deployment",
    {
      spec: { replicas: 2 },
      status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    },
    ready,
  ],
  [
    "apps/v1 StatefulSet",
    { spec: { replicas: 3 }, status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 3 } },
    "1 of 3 updated",
  ],
  [
    "apps/v1 StatefulSet",
    {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 3 },
    },
    ready,
  ],
  [
    "apps/v1 StatefulSet",
    {
      spec: { replicas: 3, updateStrategy: { type: "OnDelete" } },
      status: { observedGeneration: 1, readyReplicas: 2 },
    },
    "2 of 3 ready",
  ],
  [
    "apps/v1 DaemonSet",
    {
      status: {
        observedGeneration: 1,
        desiredNumberScheduled: 3,
        updatedNumberScheduled: 3,
        numberAvailable: 2,
      },
    },
    "2 of 3 ready",
  ],
  [
    "apps/v1 DaemonSet",
    {
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { observedGeneration: 1, desiredNumberScheduled: 3, numberAvailable: 3 },
    },
    ready,
  ],
  ["batch/v1 Job", {}, "not complete"],
  ["batch/v1 Job", { status: { conditions: [condition("Complete", "True")] } }, ready],
  [
    "batch/v1 Job",
    { status: { conditions: [condition("Failed", "True", "too many retries")] } },
    "failed: too many retries",
  ],
  ["v1 Pod", { status: { phase: "Pending" } }, "Pending"],
  [
    "v1 Pod",
    { status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "no node fits")] } },
    "no node fits",
  ],
  ["v1 Pod", { status: { phase: "Running", conditions: [condition("Ready", "True")] } }, ready],
  ["v1 Pod", { status: { phase: "Succeeded" } }, ready],
  ["example.com/v1 Shop", {}, ready],
  ["example.com/v1 Shop", { status: { observedGeneration: 0 } }, "its last change is not observed yet"],
];

test.each(cases)("%s with %j", (id, { metadata, ...fields }, expected) => {
  const [apiVersion = "", kind = ""] = id.split(" ");
  const object = { apiVersion, kind, metadata: { name: "a", generation: 1, ...metadata }, ...fields };
  const { isReady, message } = readinessOf(object);
  expect(isReady || message).toBe(expected);
});
