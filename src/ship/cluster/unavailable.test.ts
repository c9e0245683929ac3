import { expect, test } from "vitest";
import { type DeploymentState, isAvailable } from "./wait.ts";

const after = (status: DeploymentState["status"]): boolean =>
  isAvailable({
    metadata: { generation: 2 },
    spec: { replicas: 1, selector: {} },
    status: { observedGeneration: 2, ...status },
  });

test.each<[string, DeploymentState["status"], boolean]>([
  ["all pods are new and available", { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }, true],
  [
    "the new pod is not available, the old one is",
    { replicas: 2, updatedReplicas: 1, availableReplicas: 1 },
    false,
  ],
  ["the old pod has not ended", { replicas: 2, updatedReplicas: 1, availableReplicas: 2 }, false],
  ["the new pod is not available", { replicas: 1, updatedReplicas: 1, availableReplicas: 0 }, false],
  [
    "the change was not seen yet",
    { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    false,
  ],
])("when %s", (_when, status, expected) => {
  expect(after(status)).toBe(expected);
});
