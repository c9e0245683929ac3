import { expect, test } from "vitest";
import { isCustom } from "./owner-tree.ts";

test.each([
  ["mysqls.apps.example.com", true],
  ["statefulsets.apps", false],
  ["pods", false],
  ["clusterroles.rbac.authorization.k8s.io", false],
])("%s is a custom resource: %s", (resource, is) => {
  expect(isCustom(resource)).toBe(is);
});
