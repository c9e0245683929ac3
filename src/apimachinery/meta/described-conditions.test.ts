import { expect, test } from "vitest";
import { conditionTone, describeConditions } from "./described-conditions.ts";

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

test("conditions of any form are read, and what is none is left out", () => {
  const conditions = [
    {
      type: "Ready",
      status: "False",
      reason: "Waiting",
      message: "m",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
    { type: "Odd", status: 3 },
    { status: "True" },
    "text",
  ];
  const of = (status: unknown) => ({
    apiVersion: "a.example/v1",
    kind: "A",
    metadata: { name: "a" },
    status,
  });
  expect(describeConditions(of({ conditions }))).toEqual([
    {
      type: "Ready",
      status: "False",
      reason: "Waiting",
      message: "m",
      since: Date.UTC(2026, 0, 1),
      tone: "busy",
    },
    { type: "Odd", status: "", reason: "", message: "", since: NaN, tone: "busy" },
  ]);
  for (const status of [undefined, "text", { conditions: {} }])
    expect(describeConditions(of(status))).toEqual([]);
});
