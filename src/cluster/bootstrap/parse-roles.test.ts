import { expect, test } from "vitest";
import { parseRoles } from "./bootstrap-rbac.ts";

test("parseRoles() reads rules for resources, for named objects and for paths", () => {
  const table = `
reader
  get list | core apps | pods deployments/scale
  update | core | configmaps | settings
  get | /healthz /livez
`;
  expect(parseRoles(table)).toEqual([
    {
      name: "reader",
      isAggregated: false,
      rules: [
        { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods", "deployments/scale"] },
        { verbs: ["update"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["settings"] },
        { verbs: ["get"], nonResourceURLs: ["/healthz", "/livez"] },
      ],
    },
  ]);
});

test("parseRoles() reads how roles are aggregated", () => {
  expect(parseRoles("view | aggregate to edit | aggregated\nedit | aggregated")).toEqual([
    { name: "view", rules: [], aggregateTo: "edit", isAggregated: true },
    { name: "edit", rules: [], isAggregated: true },
  ]);
});
