import { expect, test } from "vitest";
import { emptyProject } from "../../../e2e/support/projects/empty-project.ts";
import { newResource, noWebhooks, type Project } from "../../project/project.ts";
import { Draft, memoryTree } from "../../scaffold/tree.ts";
import { basePath, planBase, type Presentation } from "./base-csv.ts";

function plan(of: Project, presentation: Presentation, before: Record<string, string> = {}): Draft {
  const draft = new Draft(memoryTree(before));
  planBase(draft, of, presentation);
  return draft;
}

function supported(of: Project): string[] {
  const text = plan(of, {}).read(basePath(of))!;
  return [...text.matchAll(/type: (\w+)\n\s+supported: true/gu)].map(([, mode]) => mode!);
}

test("the install modes fit the project: conversion is for all namespaces, whatever the operator watches", () => {
  const spokes = newResource({
    group: "shop",
    domain: "example.com",
    version: "v1",
    kind: "Order",
    plural: "orders",
    webhooks: { ...noWebhooks, spokes: ["v2"] },
  });

  expect(supported(emptyProject)).toEqual(["AllNamespaces"]);
  expect(supported({ ...emptyProject, namespaced: true })).toEqual([
    "OwnNamespace",
    "SingleNamespace",
    "MultiNamespace",
  ]);
  expect(supported({ ...emptyProject, namespaced: true, resources: [spokes] })).toEqual(["AllNamespaces"]);
});

test("flags change what they are about, and nothing else in the file", () => {
  const path = basePath(emptyProject);
  const text = `# Ours.\nkind: ClusterServiceVersion\nspec:\n  displayName: Shop # short\n  maturity: beta\n`;
  const before = { [path]: text, "config/manifests/kustomization.yaml": "" };
  const after = plan(emptyProject, { displayName: "Market", skipRange: ">=1.0.0 <1.2.0" }, before).read(path);

  expect(plan(emptyProject, {}, before).changes()).toEqual([]);
  expect(after).toBe(
    `${text.replace("Shop", "Market")}metadata:\n  annotations:\n    olm.skipRange: ">=1.0.0 <1.2.0"\n`,
  );
});
