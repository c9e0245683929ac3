import { expect, test } from "vitest";
import { parseManifest } from "../../ship/manifest.ts";
import { assembleCsv } from "./assemble-csv.ts";
import { account, assemble, base, bind, deployment, role } from "./testdata/sample-bundle.ts";

test("roles become permissions where they are bound, each rule once; those of others stay manifests", () => {
  const { csv, objects, notes } = assemble(
    account,
    role("Role", "own", "pods"),
    bind("RoleBinding", "own", "Role", "shop-controller-manager"),
    role("ClusterRole", "everywhere", "nodes"),
    bind("ClusterRoleBinding", "everywhere", "ClusterRole", "shop-controller-manager"),
    role("ClusterRole", "here", "pods"),
    bind("RoleBinding", "here", "ClusterRole", "shop-controller-manager"),
    role("ClusterRole", "viewer", "orders"),
  );
  const { permissions, clusterPermissions } = csv.spec.install!.spec;
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

  expect(permissions).toEqual([{ serviceAccountName: "shop-controller-manager", rules: [rule("pods")] }]);
  expect(clusterPermissions).toEqual([
    { serviceAccountName: "shop-controller-manager", rules: [rule("nodes")] },
  ]);
  expect(objects.map(({ fileName }) => fileName)).toEqual([
    "viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml",
  ]);
  expect(notes).toEqual([]);
});

test("a role that is bound to others, too, stays with them, and the namespace in the binding is named", () => {
  const { csv, objects, notes } = assemble(
    role("Role", "shared", "pods"),
    bind("RoleBinding", "shared", "Role", "shop-controller-manager", "helper"),
  );

  expect(csv.spec.install!.spec.permissions).toHaveLength(1);
  expect(objects.map(({ object }) => [object.kind, object.metadata.namespace])).toEqual([
    ["Role", undefined],
    ["RoleBinding", undefined],
  ]);
  expect(objects[1]!.object["subjects"]).toEqual([
    { kind: "ServiceAccount", name: "helper", namespace: "shop-system" },
  ]);
  expect(notes[0]).toMatch(/^RoleBinding shared-binding is for service accounts in shop-system/u);
});

test("a ServiceAccount without permissions is one with no rules, which OLM makes; others stay manifests", () => {
  const { csv, objects } = assemble(account, account.replace("shop-controller-manager", "helper"));

  expect(csv.spec.install!.spec.permissions).toEqual([
    { serviceAccountName: "shop-controller-manager", rules: [] },
  ]);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(["helper"]);
});

test("extra service accounts get their permissions from OLM, too", () => {
  const objects = [
    base,
    deployment,
    role("Role", "helper", "pods"),
    bind("RoleBinding", "helper", "Role", "helper"),
  ].flatMap(parseManifest);
  const request = {
    objects,
    samples: [],
    kinds: [],
    packageName: "shop",
    version: "1.2.0",
    builder: "",
    projectLayout: "",
  };
  const permissions = (extraServiceAccounts: readonly string[]): unknown =>
    assembleCsv({ ...request, extraServiceAccounts }).csv.spec.install!.spec.permissions?.map(
      ({ serviceAccountName }) => serviceAccountName,
    );

  expect(permissions([])).toBeUndefined();
  expect(permissions(["helper"])).toEqual(["helper"]);
});
