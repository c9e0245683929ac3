import { ClusterRole, type ClusterRoleList } from "@tsbuilder/runtime/k8s/rbac/v1";
import { Deployment, StatefulSet, type StatefulSetSpec } from "@tsbuilder/runtime/k8s/apps/v1";
import { type Container, ConfigMap, type PodTemplateSpec, Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { JSONSchemaProps } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import { expect, expectTypeOf, test } from "vitest";

test("a built-in kind is a value and a type of the same name", () => {
  expect(Deployment).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" });
  expect(Deployment.scope).toBe("Namespaced");
  expect(ClusterRole).toMatchObject({ apiVersion: "rbac.authorization.k8s.io/v1", scope: "Cluster" });
  expect([ConfigMap, Service, StatefulSet].map(({ plural }) => plural)).toEqual([
    "configmaps",
    "services",
    "statefulsets",
  ]);
  expectTypeOf<Deployment>().toHaveProperty("metadata");
  expectTypeOf<ClusterRoleList["items"]>().toEqualTypeOf<ClusterRole[]>();
});

test("types have the shape of JSON, and their fields accept undefined", () => {
  const replicas: number | undefined = undefined;
  const container: Container = { name: "web", resources: { limits: { cpu: "500m", memory: 1024 } } };
  const template: PodTemplateSpec = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [container], restartPolicy: "Always" },
  };
  const spec: StatefulSetSpec = {
    replicas,
    serviceName: "web",
    selector: { matchLabels: { app: "web" } },
    template,
    // An embedded claim needs neither apiVersion nor kind.
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
  };
  expect(spec.volumeClaimTemplates).toHaveLength(1);
  expectTypeOf<Container["livenessProbe"]>().toBeNullable();
  expectTypeOf<NonNullable<Service["spec"]>["type"]>().toEqualTypeOf<
    "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort" | undefined
  >();
});

test("invalid objects do not compile", () => {
  // @ts-expect-error a container has a name
  const nameless: Container = { image: "nginx" };
  // @ts-expect-error no such policy
  const policy: PodTemplateSpec = { spec: { containers: [], restartPolicy: "Sometimes" } };
  // @ts-expect-error times are strings
  const time: ConfigMap["metadata"] = { creationTimestamp: new Date() };
  expect([nameless, policy, time]).toHaveLength(3);
});

test("the schema of a CRD is recursive, with union types", () => {
  const schema: JSONSchemaProps = {
    properties: { list: { items: { type: "string" } }, map: { additionalProperties: false } },
    "x-kubernetes-validations": [{ rule: "true" }],
  };
  expect(Object.keys(schema)).toHaveLength(2);
});
