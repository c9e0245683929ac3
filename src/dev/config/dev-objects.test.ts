import { expect, test } from "vitest";
import { localConversion, localWebhooks, placeRbac } from "./apply-config.ts";

const local = { url: "https://127.0.0.1:9443", caBundle: "Q0E=" };

test("placeRbac() puts accounts, roles and bindings into one namespace, subjects included", () => {
  const placed = placeRbac(
    [
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "controller-manager", namespace: "system" },
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "manager-rolebinding" },
        roleRef: { kind: "ClusterRole", name: "manager-role" },
        subjects: [
          { kind: "ServiceAccount", name: "controller-manager", namespace: "system" },
          { kind: "User", name: "somebody" },
        ],
      },
    ],
    { namespace: "mysql-system" },
  );
  expect(placed[0]!.metadata.namespace).toBe("mysql-system");
  expect(placed[1]!.metadata).toEqual({ name: "manager-rolebinding" });
  expect(placed[1]!["subjects"]).toEqual([
    { kind: "ServiceAccount", name: "controller-manager", namespace: "mysql-system" },
    { kind: "User", name: "somebody" },
  ]);
});

test("placeRbac() prefixes its own names and references to them, and nothing else", () => {
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "binding" },
  };
  const role = { apiVersion: binding.apiVersion, kind: "ClusterRole", metadata: { name: "role" } };
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace: "system" }];
  const placed = placeRbac(
    [
      role,
      { ...binding, roleRef: { kind: "ClusterRole", name: "role" } },
      { ...binding, roleRef: { kind: "ClusterRole", name: "view" }, subjects },
    ],
    { namespace: "shop-dev", prefix: "shop-dev-" },
  );
  expect(placed.map(({ metadata }) => metadata.name)).toEqual([
    "shop-dev-role",
    "shop-dev-binding",
    "shop-dev-binding",
  ]);
  expect(placed[1]!["roleRef"]).toEqual({ kind: "ClusterRole", name: "shop-dev-role" });
  expect(placed[2]!["roleRef"]).toEqual({ kind: "ClusterRole", name: "view" });
  expect(placed[2]!["subjects"]).toEqual([
    { kind: "ServiceAccount", name: "default", namespace: "shop-dev" },
  ]);
});

test("localWebhooks() keeps a webhook's path and all other fields", () => {
  const [configuration] = localWebhooks(
    [
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "validating-webhook-configuration" },
        webhooks: [
          {
            name: "vmysql.example.com",
            failurePolicy: "Fail",
            clientConfig: {
              service: { name: "webhook-service", namespace: "system", path: "/validate-mysql" },
            },
          },
        ],
      },
    ],
    local,
  );
  expect(configuration!["webhooks"]).toEqual([
    {
      name: "vmysql.example.com",
      failurePolicy: "Fail",
      clientConfig: { url: "https://127.0.0.1:9443/validate-mysql", caBundle: "Q0E=" },
    },
  ]);
});

test("localConversion() converts through the local process", () => {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "mysqls.apps.example.com" },
    spec: { group: "apps.example.com" },
  };
  expect(localConversion(crd, local)["spec"]).toMatchObject({
    group: "apps.example.com",
    conversion: { webhook: { clientConfig: { url: "https://127.0.0.1:9443/convert" } } },
  });
});
