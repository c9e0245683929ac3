import { expect, test } from "vitest";
import { readPath } from "./stage.ts";

test("a path leads through fields, keys with dots and items of lists", () => {
  const pod = {
    metadata: { labels: { "test.io/role": "first" } },
    spec: { containers: [{ command: ["sleep", "300"] }] },
  };
  expect(readPath(pod, '.metadata.labels["test.io/role"]')).toBe("first");
  expect(readPath(pod, ".spec.containers[0].command[1]")).toBe("300");
  expect(readPath(pod, ".spec.containers[1].command")).toBeUndefined();
  expect(readPath(pod, ".metadata[0]")).toBeUndefined();
});
