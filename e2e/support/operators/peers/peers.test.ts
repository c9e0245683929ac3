import type { Kind, KubernetesObject, Manager } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Namespace, ResourceQuota, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress, NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { eventually, moveClockUntil, startTestManager } from "@tsbuilder/runtime/testing";
import { expect, onTestFinished, test } from "vitest";
import { MySQLSchema, type Schema, setupMySQLSchemaController } from "./mysql-schema.ts";
import { NetworkStack, SecurityGroup, setupNetworkStackController, Subnet, Vpc } from "./network-stack.ts";
import { setupTenantController, Tenant } from "./tenant.ts";
import { setupWebPageController, WebPage } from "./web-page.ts";

const key = { namespace: "default", name: "one" };

const definition = ({ group, version, kind, plural }: Kind) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

async function start(setup: (manager: Manager) => void, ...kinds: Kind[]) {
  const clock = new FakeClock();
  const cluster = await startTestCluster({
    clock,
    crds: kinds.map(definition),
    controllers: ["garbagecollector", "namespace"],
  });
  onTestFinished(() => cluster.stop());
  const { client, stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, setup);
  onTestFinished(stop);
  const until = <R>(check: () => Promise<R>) => moveClockUntil(clock, check);
  /** Sets the status of all objects of a kind, as the controllers of others do. */
  const report = async (kind: Kind, status: object) => {
    for (const object of await client.list(kind))
      await client.subresource(kind, object, "status").patch({ merge: { status } });
  };
  const namesOf = async (kind: Kind) => (await client.list(kind)).map(({ metadata }) => metadata.name);
  const messageOf = async (kind: Kind) => {
    const { status } = (await client.get(kind, key)) as KubernetesObject & {
      status?: { conditions?: { message: string }[] };
    };
    return status?.conditions?.[0]?.message;
  };
  return { clock, client, until, report, namesOf, messageOf };
}

test("a network is made from the outside in, and ends from the inside out", async () => {
  const { client, until, report, namesOf, messageOf } = await start(
    setupNetworkStackController,
    NetworkStack,
    Vpc,
    Subnet,
    SecurityGroup,
  );
  await client.create(NetworkStack, { metadata: key, spec: {} });
  await eventually(async () => expect(await messageOf(NetworkStack)).toBe("waits for VPC one"));
  expect(await namesOf(Subnet)).toEqual([]);
  await report(Vpc, { id: "vpc-1" });
  await eventually(async () => expect(await namesOf(Subnet)).toHaveLength(3));
  expect((await client.list(Subnet)).map(({ spec }) => spec.vpcID)).toEqual(["vpc-1", "vpc-1", "vpc-1"]);
  await report(Subnet, { id: "subnet" });
  await eventually(async () => expect(await messageOf(NetworkStack)).toBe("waits for SecurityGroup one"));
  await report(SecurityGroup, { id: "group" });
  await eventually(async () => expect(await messageOf(NetworkStack)).toBe(""));

  // The operator makes a deleted child again.
  const lost = { namespace: "default", name: "one-us-west-2b" };
  const { uid } = (await client.get(Subnet, lost)).metadata;
  await client.delete(Subnet, lost);
  await eventually(async () => expect((await client.get(Subnet, lost)).metadata.uid).not.toBe(uid));
  await eventually(async () => expect(await messageOf(NetworkStack)).toBe("waits for Subnet one-us-west-2b"));

  const finalizers = ["example.com/hold"];
  await client.patch(SecurityGroup, key, { merge: { metadata: { finalizers } } });
  await client.delete(NetworkStack, key);
  await until(async () => expect(await namesOf(Subnet)).toEqual([]));
  expect(await namesOf(Vpc)).toEqual(["one"]);
  await client.patch(SecurityGroup, key, { merge: { metadata: { finalizers: null } } });
  await until(async () => expect(await namesOf(NetworkStack)).toEqual([]));
  expect(await namesOf(Vpc)).toEqual([]);
});

test("a tenant gets its limits before its application, and the application ends first", async () => {
  const { clock, client, until, namesOf, messageOf } = await start(setupTenantController, Tenant);
  const inside = { namespace: "one", name: "app" };
  const inTenant = async (kind: Kind) =>
    (await client.list(kind, { namespace: "one" })).map(({ metadata }) => metadata.name);
  // No namespace, no limits; no limits, no application.
  await client.create(Namespace, { metadata: { name: "one", labels: { of: "others" } } });
  await client.create(Tenant, { metadata: key, spec: {} });
  await eventually(async () => expect(await messageOf(Tenant)).toContain('"one"'));
  expect(await inTenant(ResourceQuota)).toEqual([]);
  await client.delete(Namespace, { name: "one" });
  await eventually(async () => expect(await namesOf(Namespace)).not.toContain("one"));
  // A conflict of names is tried again after 15 s.
  await clock.advance(15_000);
  await eventually(async () =>
    expect(await messageOf(Tenant)).toBe("waits for Deployment one/app: its last change is not observed yet"),
  );
  expect(await inTenant(ResourceQuota)).toEqual(["quota"]);
  expect(await inTenant(NetworkPolicy)).toEqual(["isolation"]);
  const replicas = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  const { uid } = (await client.get(Deployment, inside)).metadata;
  await client
    .subresource(Deployment, inside, "status")
    .patch({ merge: { status: { observedGeneration: 1, ...replicas } } });
  await eventually(async () => expect(await messageOf(Tenant)).toBe(""));

  // The operator makes a deleted child again.
  await client.delete(Deployment, inside);
  await eventually(async () => expect((await client.get(Deployment, inside)).metadata.uid).not.toBe(uid));

  const finalizers = ["example.com/hold"];
  await client.patch(Deployment, inside, { merge: { metadata: { finalizers } } });
  await client.delete(Tenant, key);
  await until(async () => expect(await inTenant(Service)).toEqual([]));
  expect(await inTenant(ResourceQuota)).toEqual(["quota"]);
  expect((await client.get(Namespace, { name: "one" })).metadata.deletionTimestamp).toBeUndefined();
  await client.patch(Deployment, inside, { merge: { metadata: { finalizers: null } } });
  await until(async () => expect(await namesOf(Tenant)).toEqual([]));
  expect(await namesOf(Namespace)).not.toContain("one");
});

test("a web page is exposed when it is served, and as long as it should be", async () => {
  const { client, until, report, namesOf, messageOf } = await start(setupWebPageController, WebPage);
  await client.create(WebPage, { metadata: key, spec: { html: "<p>", exposed: true } });
  await eventually(async () => expect(await namesOf(Deployment)).toEqual(["one"]));
  const unseen = "waits for Deployment one: its last change is not observed yet";
  await eventually(async () => expect(await messageOf(WebPage)).toBe(unseen));
  expect(await namesOf(Ingress)).toEqual([]);
  await report(Deployment, {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
  });
  await eventually(async () => expect(await namesOf(Ingress)).toEqual(["one"]));
  await client.patch(WebPage, key, { merge: { spec: { html: "<b>", exposed: false } } });
  await eventually(async () => expect(await namesOf(Ingress)).toEqual([]));
  await eventually(async () =>
    expect((await client.get(ConfigMap, key)).data).toEqual({ "index.html": "<b>" }),
  );
  await eventually(async () => expect(await messageOf(WebPage)).toBe(""));
  await client.delete(ConfigMap, key);
  await eventually(async () => expect(await namesOf(ConfigMap)).toContain("one"));
  await client.delete(WebPage, key);
  await until(async () => expect(await namesOf(Deployment)).toEqual([]));
});

test("a schema that somebody drops is made again, with the same password", async () => {
  const schemas = new Map<string, Schema>();
  const passwords = new Set<string>();
  const { client, until, namesOf } = await start(
    setupMySQLSchemaController({
      list: async () => [...schemas.values()],
      async create(schema, { password }) {
        schemas.set(schema.name, schema);
        passwords.add(password);
      },
      drop: async (name) => void schemas.delete(name),
    }),
    MySQLSchema,
  );
  await client.create(MySQLSchema, { metadata: key, spec: { encoding: "utf8" } });
  const made = { name: "default/one", encoding: "utf8" };
  await until(async () => expect([...schemas.values()]).toEqual([made]));
  schemas.clear();
  await until(async () => expect([...schemas.values()]).toEqual([made]));
  await client.patch(MySQLSchema, key, { merge: { spec: { encoding: "latin1" } } });
  await until(async () => expect(schemas.get("default/one")?.encoding).toBe("latin1"));
  expect(passwords.size).toBe(1);
  expect(await namesOf(Secret)).toEqual(["one-mysql"]);
  const { uid } = (await client.get(Secret, { namespace: "default", name: "one-mysql" })).metadata;
  await client.delete(Secret, { namespace: "default", name: "one-mysql" });
  await eventually(async () => expect((await client.list(Secret))[0]?.metadata.uid ?? uid).not.toBe(uid));
  await client.delete(MySQLSchema, key);
  await until(async () => expect(await namesOf(MySQLSchema)).toEqual([]));
  expect(schemas.size).toBe(0);
});
