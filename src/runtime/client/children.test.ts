import type { Container } from "@tsbuilder/apimachinery/k8s/core/v1";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { Children, pruneServicePorts } from "./children.ts";
import { createClient, type LiveClient } from "./live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { FakeClock, formatTime } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, expect, test } from "vitest";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
interface Secret extends KubernetesObject {
  stringData?: { [key: string]: string };
  type?: string;
}
const Secret = defineKind<Secret>({ group: "", version: "v1" }, { kind: "Secret", plural: "secrets" });

interface Service extends KubernetesObject {
  spec?: { type?: string; ports?: { name: string; port: number; protocol?: string; nodePort?: number }[] };
}
const Service = defineKind<Service>({ group: "", version: "v1" }, { kind: "Service", plural: "services" });

interface Deployment extends KubernetesObject {
  spec: { selector: object; template: { metadata: object; spec: { containers: Container[] } } };
}
const Deployment = defineKind<Deployment>(
  { group: "apps", version: "v1" },
  { kind: "Deployment", plural: "deployments" },
);

let cluster: ClusterUnderTest;
let client: LiveClient;

beforeAll(async () => {
  cluster = await startClusterUnderTest();
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), { fieldManager: "test" });
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

const key = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });
const names = async (kind: typeof ConfigMap | typeof Secret, prefix: string): Promise<string[]> =>
  (await client.list(kind, { namespace: "default" }))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith(prefix))
    .sort();

test("Children applies what is desired, and deletes a child if nothing is", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("set-owner") });
  const children = new Children(client, owner);
  const made = await children.set(ConfigMap, "set-a", { metadata: {}, data: { a: "1" } });
  expect(made).toMatchObject({
    metadata: { name: "set-a", namespace: "default", ownerReferences: [{ name: "set-owner" }] },
    data: { a: "1" },
  });
  expect(await children.find(ConfigMap, "set-a")).toEqual(made);
  expect(await children.set(ConfigMap, "set-a", undefined)).toBeUndefined();
  expect(await children.set(ConfigMap, "set-a", undefined)).toBeUndefined();
  expect(await children.find(ConfigMap, "set-a")).toBeUndefined();
  expect(children.rejections).toEqual([]);
  expect(children.result(undefined)).toBeUndefined();
});

test("Children doesn't touch objects of other owners, and doesn't return them", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("kind-owner") });
  const other = await client.create(ConfigMap, { metadata: key("kind-other") });
  const theirs = await client.apply(ConfigMap, { metadata: key("kind-theirs") }, { owner: other });
  const free = await client.create(ConfigMap, { metadata: key("kind-free"), data: { a: "1" } });
  const children = new Children(client, owner);
  const desired = { metadata: { labels: { app: "ours" } }, data: { a: "2" } };
  for (const name of ["kind-theirs", "kind-free"]) {
    expect(await children.set(ConfigMap, name, desired)).toBeUndefined();
    expect(await children.set(ConfigMap, name, undefined)).toBeUndefined();
  }
  expect(await client.get(ConfigMap, key("kind-theirs"))).toEqual(theirs);
  expect(await client.get(ConfigMap, key("kind-free"))).toEqual(free);
  expect(children.rejections).toMatchObject([
    {
      reason: "NameConflict",
      message: 'ConfigMap "kind-theirs" is controlled by ConfigMap "kind-other" already',
    },
    { reason: "NameConflict", message: 'ConfigMap "kind-free" was made by somebody else' },
  ]);
  expect(children.result(undefined)).toEqual({ requeueAfter: "15s" });
});

test("Children adopts an object without a controller if it has all labels of the desired one, and at least one", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("heir") });
  const labels = { app: "ours", extra: "theirs" };
  await client.create(ConfigMap, { metadata: { ...key("heirloom"), labels } });
  await client.create(ConfigMap, { metadata: key("bare") });
  const children = new Children(client, owner);
  const taken = await children.set(ConfigMap, "heirloom", { metadata: { labels: { app: "ours" } } });
  expect(taken?.metadata.ownerReferences).toHaveLength(1);
  // Without our labels nothing shows that it was ours.
  expect(await children.set(ConfigMap, "bare", { metadata: {} })).toBeUndefined();
  expect(children.rejections).toHaveLength(1);
});

test("Children reports that a child of a deleted predecessor will be garbage-collected", async () => {
  const before = await client.create(ConfigMap, { metadata: key("phoenix") });
  await client.apply(ConfigMap, { metadata: key("phoenix-child") }, { owner: before });
  await client.delete(ConfigMap, before, { propagationPolicy: "Background" });
  const owner = await client.create(ConfigMap, { metadata: key("phoenix") });
  const children = new Children(client, owner);
  await children.set(ConfigMap, "phoenix-child", { metadata: {} });
  expect(children.rejections[0]?.message).toContain("that was deleted, and goes with it");
});

test("Children collects rejections by the server, and throws other errors", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("strict-owner") });
  const children = new Children(client, owner);
  await children.set(Secret, "strict-secret", { metadata: {}, type: "Opaque" });
  const refused = await children.set(Secret, "strict-secret", { metadata: {}, type: "other" });
  // The previous state still belongs to the owner.
  expect(refused?.type).toBe("Opaque");
  await children.set(ConfigMap, "strict-config", { metadata: {}, data: { a: "1" } });
  expect(await client.find(ConfigMap, key("strict-config"))).toBeDefined();
  expect(children.rejections).toMatchObject([
    { reason: "SecretRejected", message: expect.stringContaining("immutable") },
  ]);

  const ended = AbortSignal.abort(new Error("over"));
  const late = new Children(client.with({ signal: ended }), owner);
  await expect(late.set(ConfigMap, "strict-config", { metadata: {} })).rejects.toThrow();
  expect(late.rejections).toEqual([]);
});

test.each([
  { age: 0, requeueAfter: "15s" },
  { age: 100, requeueAfter: "100s" },
  { age: 100_000, requeueAfter: "300s" },
  // Found by simulating the AppService, steps of seed 14: it was retried every 15 s for an hour.
  { age: -3600, requeueAfter: "300s" },
])("Children retries after $requeueAfter what was rejected $age s ago", async ({ age, requeueAfter }) => {
  const owner = await client.create(ConfigMap, { metadata: { generateName: "slow-", namespace: "default" } });
  const clock = new FakeClock();
  const children = new Children(client, owner, { clock });
  await children.set(ConfigMap, "slow", { metadata: {}, data: { "a b": "1" } });
  const lastTransitionTime = formatTime(clock.now());
  const degraded = {
    type: "Degraded",
    status: "True",
    reason: "x",
    message: "",
    lastTransitionTime,
  } as const;
  clock.advanceSync(age * 1000);
  expect(children.result(degraded)).toEqual({ requeueAfter });
});

test("Children restores a field that another client replaced, and keeps fields that are not ours", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("union-owner") });
  const labels = { app: "union" };
  const container = (more: object): Container => ({ name: "app", image: "nginx", ...more });
  const desired = (...more: object[]) => ({
    metadata: { labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: more.map(container) } },
    },
  });
  const value = { env: [{ name: "LEVEL", value: "1" }] };
  const readinessProbe = { tcpSocket: { port: 80 } };
  const set = () =>
    new Children(client, owner).set(Deployment, "union", desired({ ...value, readinessProbe }));
  await set();
  const made = await client.get(Deployment, key("union"));
  await client.patch(
    Deployment,
    made,
    ({ spec }) => {
      const [app] = spec.template.spec.containers as [Container];
      app.env = [{ name: "LEVEL", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
      app.readinessProbe = { httpGet: { path: "/", port: 80 } };
      spec.template.spec.containers.push({ name: "sidecar", image: "proxy" });
    },
    { fieldManager: "hand" },
  );
  const mended = await set();
  expect(mended?.spec.template.spec.containers).toMatchObject([
    { ...value, readinessProbe },
    { name: "sidecar" },
  ]);
  const [app] = mended!.spec.template.spec.containers;
  expect(app?.readinessProbe).not.toHaveProperty("httpGet");
  // The probe is ours again, and is removed when it is no longer desired.
  expect(mended?.metadata.managedFields?.map(({ manager }) => manager)).not.toContain("taking-back");
  const [without] = (await new Children(client, owner).set(Deployment, "union", desired({})))!.spec.template
    .spec.containers;
  expect(without).not.toHaveProperty("readinessProbe");
  expect(without).not.toHaveProperty("env");
});

test("Children prunes objects that the owner controls and this pass did not set", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("all-owner") });
  const other = await client.create(ConfigMap, { metadata: key("all-other") });
  await client.apply(ConfigMap, { metadata: key("all-foreign") }, { owner: other });
  const pass = async (configs: string[], secrets: string[]): Promise<void> => {
    const children = new Children(client, owner);
    for (const name of configs) await children.set(ConfigMap, name, { metadata: {}, data: { a: "1" } });
    for (const name of secrets) await children.set(Secret, name, { metadata: {} });
    await children.prune(ConfigMap, Secret);
  };
  await pass(["all-a", "all-b"], ["all-s"]);
  expect(await names(Secret, "all-")).toEqual(["all-s"]);
  await pass(["all-b", "all-c"], []);
  expect(await names(Secret, "all-")).toEqual([]);
  const left = ["all-b", "all-c", "all-foreign", "all-other", "all-owner"];
  expect(await names(ConfigMap, "all-")).toEqual(left);
});

test("Children of a cluster-scoped owner are found, set and pruned by namespace and name", async () => {
  const Namespace = defineKind<KubernetesObject>(
    { group: "", version: "v1" },
    { kind: "Namespace", plural: "namespaces", scope: "Cluster" },
  );
  for (const name of ["tenant-a", "tenant-b"]) await client.create(Namespace, { metadata: { name } });
  const owner = await client.create(Namespace, { metadata: { name: "tenant" } });
  const inTenant = (namespace: string) => ({ namespace, name: "cfg" });
  const both = new Children(client, owner);
  for (const namespace of ["tenant-a", "tenant-b"])
    await both.set(ConfigMap, "cfg", { metadata: { namespace }, data: { of: namespace } });
  expect(await both.find(ConfigMap, inTenant("tenant-b"))).toMatchObject({ data: { of: "tenant-b" } });
  const one = new Children(client, owner);
  await one.set(ConfigMap, inTenant("tenant-a"), { metadata: {}, data: { of: "tenant-a" } });
  await one.prune(ConfigMap);
  expect(await one.find(ConfigMap, inTenant("tenant-b"))).toBeUndefined();
  expect(await one.find(ConfigMap, inTenant("tenant-a"))).toMatchObject({ data: { of: "tenant-a" } });
  expect(await one.set(ConfigMap, inTenant("tenant-a"), undefined)).toBeUndefined();
  expect(await one.find(ConfigMap, inTenant("tenant-a"))).toBeUndefined();
  expect(one.rejections).toEqual([]);
  await expect(one.set(ConfigMap, "cfg", undefined)).rejects.toThrow("needs a namespace");
});

test("pruneServicePorts() lets a Service change its type, its port and its node port at once, and back", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("type-owner") });
  const children = new Children(client, owner);
  const inside = { type: "ClusterIP", ports: [{ name: "web", port: 443, protocol: "TCP" }] };
  const outside = { type: "NodePort", ports: [{ name: "all", port: 80, protocol: "TCP", nodePort: 30087 }] };
  for (const spec of [inside, outside, inside]) {
    const service = await children.set(Service, "type", { metadata: {}, spec }, pruneServicePorts);
    expect(children.rejections).toEqual([]);
    expect(service?.spec).toMatchObject(spec);
    expect(service?.spec?.ports).toHaveLength(1);
  }
});

test("pruneServicePorts() leaves a Service with the ports that are desired, and their node ports", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("ports-owner") });
  const children = new Children(client, owner);
  const desired = {
    metadata: {},
    spec: {
      type: "NodePort" as const,
      ports: [
        { name: "web", port: 80, protocol: "TCP" as const },
        { name: "dns", port: 80, protocol: "UDP" as const },
      ],
    },
  };
  const made = await children.set(Service, "ports", desired, pruneServicePorts);
  await client.patch(Service, made!, (draft) => {
    draft.spec!.ports![0]!.port = 81;
    draft.spec!.ports!.push({ name: "extra", port: 82, protocol: "TCP" });
  });
  const mended = await children.set(Service, "ports", desired, pruneServicePorts);
  expect(children.rejections).toEqual([]);
  expect(mended?.spec?.ports).toMatchObject(desired.spec.ports);
  expect(mended?.spec?.ports).toHaveLength(2);
  expect(mended?.spec?.ports?.[1]?.nodePort).toBe(made?.spec?.ports?.[1]?.nodePort);
  const again = await children.set(Service, "ports", desired, pruneServicePorts);
  expect(again?.metadata.resourceVersion).toBe(mended?.metadata.resourceVersion);
});
