import { expect, test } from "vitest";
import { missingPermission } from "./rbac-marker.ts";

const message =
  'statefulsets.apps is forbidden: User "system:serviceaccount:a:b" cannot list resource "statefulsets" in API group "apps" at the cluster scope';

test("missingPermission() names the marker, from a plain line and from JSON", () => {
  const missing = {
    verb: "list",
    resource: "statefulsets",
    marker: "// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch",
  };
  expect(missingPermission(message)).toEqual(missing);
  expect(missingPermission(JSON.stringify({ error: message }))).toEqual(missing);
});

test("missingPermission() writes the core group and subresources as markers do", () => {
  const core = message
    .replaceAll("statefulsets", "pods/exec")
    .replace("list", "create")
    .replace('"apps"', '""');
  expect(missingPermission(core)?.marker).toBe(
    '// +kubebuilder:rbac:groups="",resources=pods/exec,verbs=create',
  );
});

test("missingPermission() ignores other lines", () => {
  expect(missingPermission('{"msg":"Reconciled MySQL"}')).toBeUndefined();
});
