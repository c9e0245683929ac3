import { expect, test } from "vitest";
import { conditionTone, standingOf } from "./standing.ts";

test.each([
  ["Ready", "True", "", "good"],
  ["Ready", "False", "Creating", "busy"],
  ["Ready", "False", "ImagePullBackOff", "bad"],
  ["Ready", "Unknown", "", "busy"],
  ["Ready", "False", "PodCompleted", "good"],
  ["Degraded", "True", "", "bad"],
  ["Degraded", "False", "AsExpected", "none"],
  ["MemoryPressure", "True", "", "bad"],
  ["MemoryPressure", "False", "", "none"],
  ["Stalled", "True", "", "bad"],
  ["Failed", "True", "", "bad"],
  ["Failed", "Unknown", "", "busy"],
  ["ReplicaFailure", "True", "", "bad"],
  ["BackupFailed", "False", "", "none"],
  ["NotReady", "True", "", "bad"],
  ["Reconciling", "True", "", "busy"],
  ["Progressing", "True", "NewReplicaSetAvailable", "none"],
  ["Progressing", "False", "ProgressDeadlineExceeded", "bad"],
  ["Progressing", "False", "Done", "none"],
  ["Paused", "True", "", "none"],
  ["Serving", "True", "", "good"],
  // A Job, a signing request, a flow schema, a definition, a route, a claim, a namespace and a budget.
  ["FailureTarget", "True", "BackoffLimitExceeded", "bad"],
  ["Denied", "True", "", "bad"],
  ["Dangling", "False", "Found", "none"],
  ["NonStructuralSchema", "True", "", "bad"],
  ["Conflicted", "False", "NoConflicts", "none"],
  ["InvalidRequest", "True", "", "bad"],
  ["FileSystemResizePending", "True", "", "busy"],
  ["NamespaceContentRemaining", "True", "SomeResourcesRemain", "busy"],
  ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "none"],
  ["DisruptionAllowed", "False", "InsufficientPods", "none"],
])("%s=%s (%s) is %s", (type, status, reason, tone) => {
  expect(conditionTone(type, status, reason)).toBe(tone);
});

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

test("an old observedGeneration and a deletion are work that goes on", () => {
  const status = { observedGeneration: 1, conditions: [{ type: "Ready", status: "True" }] };
  expect(made({ status }, { generation: 2 })).toMatchObject({ tone: "busy" });
  expect(made({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })).toMatchObject({
    tone: "busy",
    why: "is being deleted",
  });
});
