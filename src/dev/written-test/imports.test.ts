import { expect, test } from "vitest";
import { Imports } from "./written-test.ts";

const fiz = {
  apiVersion: "fiz.example.com/v1",
  kind: "Bar",
  module: "../api/fiz/v1/bar_types.ts",
  isOwn: true,
};
const foo = { ...fiz, apiVersion: "foo.example.com/v1", module: "../api/foo/v1/bar_types.ts" };

test("kinds of one name are told apart, and each is imported once", () => {
  const imports = new Imports([fiz, foo]);
  const kinds = [
    imports.kind("fiz.example.com/v1", "Bar"),
    imports.kind("foo.example.com/v1", "Bar"),
    imports.kind("v1", "Secret"),
    imports.kind("v1", "ConfigMap"),
    imports.kind("fiz.example.com/v1", "Bar"),
    imports.kind("networking.k8s.io/v1", "Ingress"),
    imports.kind("rbac.authorization.k8s.io/v1", "Role"),
    imports.kind("autoscaling/v2", "HorizontalPodAutoscaler"),
  ];
  expect(kinds).toEqual([
    "Bar",
    "Bar2",
    "Secret",
    "ConfigMap",
    "Bar",
    "Ingress",
    "Role",
    "HorizontalPodAutoscaler",
  ]);
  expect(imports.lines()).toEqual([
    'import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";',
    'import { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";',
    'import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";',
    'import { Role } from "@tsbuilder/runtime/k8s/rbac/v1";',
    'import { Bar } from "../api/fiz/v1/bar_types.ts";',
    'import { Bar as Bar2 } from "../api/foo/v1/bar_types.ts";',
  ]);
});

test.each([
  ["others.example.com/v1", "Other"],
  ["fiz.example.com/v1beta1", "Bar"],
  ["networking.k8s.io/v1beta1", "IPAddress"],
  ["apps.k8s.example/v1", "Deployment"],
])("the cluster is asked for a kind without a module: %s %s", (apiVersion, kind) => {
  const imports = new Imports([fiz]);
  expect(imports.kind(apiVersion, kind)).toBe(
    `await client.mapper.kindFor({ apiVersion: "${apiVersion}", kind: "${kind}" })`,
  );
  expect(imports.lines()).toEqual([]);
});
