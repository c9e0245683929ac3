import { expect, test } from "vitest";
import { explainRefusal } from "./explain-refusal.ts";

const message =
  'statefulsets.apps is forbidden: User "system:serviceaccount:a:b" cannot list resource "statefulsets" in API group "apps" at the cluster scope';

test("explainRefusal() names the marker, from a plain line and from JSON", () => {
  const hint =
    "add a marker to its controller: // +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=list";
  expect(explainRefusal(message)).toMatchObject({
    message: "the operator is not allowed to list statefulsets",
    hint,
  });
  expect(explainRefusal(JSON.stringify({ error: message }))).toMatchObject({ hint });
});

test("explainRefusal() writes the core group as markers do", () => {
  const core = message.replaceAll("statefulsets", "secrets").replace('"apps"', '""');
  expect(explainRefusal(core)?.hint).toContain('groups="",resources=secrets,verbs=list');
});

test("explainRefusal() ignores other lines", () => {
  expect(explainRefusal('{"msg":"Reconciled MySQL"}')).toBeUndefined();
});
