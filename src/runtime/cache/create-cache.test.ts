import { type CustomResource, defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ClusterUnderTest, startClusterUnderTest } from "../../../e2e/support/cluster-under-test.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createCachedClient } from "../client/cached-client.ts";
import type { Client } from "../client/client.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { loadConfig } from "../client/load-config.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { TerminalError } from "../client/terminal-error.ts";
import type { RequestReport } from "../client/transport.ts";
import { eventually } from "../testing/eventually.ts";
import type { Cache, CacheOptions } from "./cache.ts";
import { createCache } from "./create-cache.ts";
import type { InformerEvent } from "./informer.ts";

interface Widget extends CustomResource<{ size?: number; color?: string }, { ready?: number }> {}
const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);
interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const Namespace = defineKind(
  { group: "", version: "v1" },
  { kind: "Namespace", plural: "namespaces", scope: "Cluster" },
);

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

let cluster: ClusterUnderTest;
let live: LiveClient;

beforeAll(async () => {
  cluster = await startClusterUnderTest(crd);
  live = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), { fieldManager: "test" });
});

afterAll(async () => {
  await live.close();
  await cluster.stop();
});

let namespaces = 0;

/** A namespace of its own for each test. */
async function newNamespace(): Promise<string> {
  const name = `test-${namespaces++}`;
  await live.create(Namespace, { metadata: { name } });
  return name;
}

/** A cache, a client on it, and the requests that were sent. */
async function start(options: CacheOptions = {}): Promise<{
  cache: Cache;
  client: Client;
  requests: RequestReport[];
}> {
  const requests: RequestReport[] = [];
  const own = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), {
    fieldManager: "test",
    onRequest: (report) => requests.push(report),
  });
  const cache = createCache(own, options);
  cache.start();
  onTestFinished(async () => {
    await cache.stop();
    await own.close();
  });
  return { cache, client: createCachedClient(own, cache), requests };
}

const createWidget = (
  namespace: string,
  name: string,
  spec: Widget["spec"] = {},
  labels = {},
): Promise<Widget> => live.create(Widget, { metadata: { name, namespace, labels }, spec });

const namesOf = (objects: KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? "").sort();

test("Cache reads what it wrote, a thousand times", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  for (let at = 0; at < 250; at++) {
    const key = { namespace, name: `w-${at}` };
    await client.create(Widget, { metadata: key, spec: { size: 0 } });
    const made = await client.get(Widget, key);
    await client.patch(Widget, made, (draft) => void (draft.spec.size = at));
    expect((await client.get(Widget, key)).spec.size).toBe(at);
    await client.patchStatus(Widget, await client.get(Widget, key), { ready: at });
    expect((await client.get(Widget, key)).status?.ready).toBe(at);
    await client.delete(Widget, key);
    expect(await client.find(Widget, key)).toBeUndefined();
  }
});

test("Cache shows at once that all objects were deleted", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  for (const name of ["a", "b"]) await client.create(Widget, { metadata: { name, namespace }, spec: {} });
  const metadata = { name: "held", namespace, finalizers: ["example.com/hold"] };
  await client.create(Widget, { metadata, spec: {} });
  expect(await client.list(Widget, { namespace })).toHaveLength(3);
  await client.deleteAllOf(Widget, { namespace });
  expect(namesOf(await client.list(Widget, { namespace }))).toEqual(["held"]);
  await client.patch(Widget, metadata, { merge: { metadata: { finalizers: null } } });
});

test("Cache shows an object that is being deleted until its finalizer is done", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const key = { namespace, name: "held" };
  await client.create(Widget, { metadata: { ...key, finalizers: ["example.com/hold"] }, spec: {} });
  await client.get(Widget, key);
  await client.delete(Widget, key);
  const held = await client.get(Widget, key);
  expect(held.metadata.deletionTimestamp).toBeDefined();
  await client.patch(Widget, held, (draft) => void (draft.metadata.finalizers = []));
  await eventually(async () => expect(await client.find(Widget, key)).toBeUndefined());
});

test("Client.apply() sends nothing at a steady state, and drops a field that is no longer desired", async () => {
  const namespace = await newNamespace();
  const { cache, client, requests } = await start();
  await cache.informer(Widget).synced();
  const owner = await client.create(Widget, { metadata: { namespace, name: "owner" }, spec: {} });
  const metadata = { name: "child", namespace };
  const apply = (spec: Widget["spec"]): Promise<Widget> =>
    client.apply(Widget, { metadata, spec }, { owner });
  await apply({ size: 1, color: "red" });
  const before = requests.length;
  for (let round = 0; round < 5; round++) await apply({ size: 1, color: "red" });
  expect(requests.length - before).toBe(0);
  const applied = await apply({ size: 1 });
  expect(applied.spec).toEqual({ size: 1 });
  expect(requests.length - before).toBe(1);
});

test("Client.apply() mends what somebody else changed, and not what is only status", async () => {
  const namespace = await newNamespace();
  const { cache, client, requests } = await start();
  const desired = { metadata: { name: "w", namespace }, spec: { size: 1 } };
  const informer = cache.informer(Widget);
  await informer.synced();
  const applied = await client.apply(Widget, desired);
  await live.patchStatus(Widget, applied, { ready: 1 });
  await eventually(() => expect(informer.get(desired.metadata)?.status?.ready).toBe(1));
  const before = requests.length;
  await client.apply(Widget, desired);
  expect(requests).toHaveLength(before);
  await live.patch(Widget, desired.metadata, { merge: { spec: { size: 7 } } });
  await eventually(() => expect(informer.get(desired.metadata)?.spec.size).toBe(7));
  expect((await client.apply(Widget, desired)).spec.size).toBe(1);
});

test("Client.apply() doesn't take an object away from another owner, read from the cache", async () => {
  const namespace = await newNamespace();
  const { cache, client, requests } = await start();
  await cache.informer(Widget).synced();
  const make = (name: string): Promise<Widget> =>
    client.create(Widget, { metadata: { name, namespace }, spec: {} });
  const [owner, other] = [await make("owner"), await make("other")];
  await client.apply(Widget, { metadata: { name: "child" }, spec: {} }, { owner });
  const before = requests.length;
  const theft = client.apply(Widget, { metadata: { name: "child" }, spec: {} }, { owner: other });
  await expect(theft).rejects.toMatchObject({ isAlreadyOwned: true });
  expect(requests).toHaveLength(before);
});

test("Client.with({ dryRun }) leaves the cache as it is", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const key = { namespace, name: "dry" };
  await client.list(Widget);
  await client.with({ dryRun: true }).create(Widget, { metadata: key, spec: {} });
  expect(await client.find(Widget, key)).toBeUndefined();
});

test("Cache gives frozen objects with kind and without managed fields", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  await live.create(ConfigMap, { metadata: { name: "c", namespace }, data: { a: "1" } });
  const found = await client.get(ConfigMap, { namespace, name: "c" });
  expect(found).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  expect(found.metadata).not.toHaveProperty("managedFields");
  expect(() => {
    found.data!.a = "2";
  }).toThrow(TypeError);
  structuredClone(found).data!.a = "2";
});

test("Cache selects by namespace, labels and limit", async () => {
  const [one, two] = [await newNamespace(), await newNamespace()];
  const { client } = await start();
  await createWidget(one, "a", {}, { tier: "web", set: "s" });
  await createWidget(one, "b", {}, { tier: "db", set: "s" });
  await createWidget(two, "c", {}, { tier: "web", set: "s" });
  const names = async (selection: object): Promise<string[]> => namesOf(await client.list(Widget, selection));
  expect(await names({ namespace: one })).toEqual(["a", "b"]);
  expect(await names({ labels: { tier: "web", set: "s" } })).toEqual(["a", "c"]);
  expect(await names({ labels: "set=s,tier notin (web)" })).toEqual(["b"]);
  const matchExpressions = [{ key: "tier", operator: "In", values: ["web"] }];
  expect(await names({ namespace: two, labels: { matchLabels: { set: "s" }, matchExpressions } })).toEqual([
    "c",
  ]);
  expect(await names({ labels: { set: "s" }, limit: 2 })).toHaveLength(2);
  expect(await names({ fields: { "metadata.name": "b" } })).toEqual(["b"]);
});

test("Cache.keepOnly() leaves the rest of a kind with the server, and can't come too late", async () => {
  const namespace = await newNamespace();
  const { cache, client } = await start();
  await createWidget(namespace, "kept", {}, { app: "db" });
  await createWidget(namespace, "left");
  cache.keepOnly(Widget, { labels: "app=db" });
  cache.keepOnly(Widget, { labels: "app=db" });
  expect(namesOf(await client.list(Widget, { namespace }))).toEqual(["kept"]);
  expect(await client.find(Widget, { namespace, name: "left" }, { live: true })).toBeDefined();
  expect(() => cache.keepOnly(Widget, { labels: "app=web" })).toThrow(TerminalError);
  await client.list(ConfigMap, { namespace });
  expect(() => cache.keepOnly(ConfigMap, { labels: "app=db" })).toThrow(TerminalError);
});

test("Cache minds the scope of a kind as the server does", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  expect(await client.find(Namespace, { name: namespace, namespace: "ignored" })).toBeDefined();
  await expect(client.find(Widget, { name: "x" })).rejects.toThrow("needs a namespace");
  await createWidget(namespace, "everywhere");
  await eventually(async () =>
    expect(namesOf(await client.list(Widget, { namespace: "" }))).toContain("everywhere"),
  );
});

test("Cache finds objects by indexes, several values each, across namespaces, added at any time", async () => {
  const [one, two] = [await newNamespace(), await newNamespace()];
  const { cache, client } = await start();
  cache.addIndex(Widget, "color", ({ spec }) => (spec.color ?? "").split("+"));
  await createWidget(one, "a", { color: "red+blue" });
  await createWidget(two, "b", { color: "blue" });
  await eventually(async () =>
    expect(await client.list(Widget, { fields: { color: "blue" } })).toHaveLength(2),
  );
  expect(namesOf(await client.list(Widget, { namespace: one, fields: { color: "blue" } }))).toEqual(["a"]);
  cache.addIndex(Widget, "name", ({ metadata }) => [metadata.name!]);
  expect(namesOf(await client.list(Widget, { fields: { color: "blue", name: "b" } }))).toEqual(["b"]);
  await client.patch(Widget, { namespace: two, name: "b" }, { merge: { spec: { color: "red" } } });
  expect(namesOf(await client.list(Widget, { fields: { color: "red" } }))).toEqual(["a", "b"]);
  expect(namesOf(await client.list(Widget, { fields: { color: "blue" } }))).toEqual(["a"]);
  expect(() => cache.addIndex(Widget, "name", () => [])).toThrow("already");
  await expect(client.list(Widget, { fields: { nothing: "x" } })).rejects.toThrow('no index "nothing"');
});

test("Cache keeps metadata alone, and shows writes there too", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const view = metadataOnly(Widget);
  const key = { namespace, name: "a" };
  expect(await client.find(view, key)).toBeUndefined();
  await client.create(Widget, { metadata: { ...key, labels: { a: "1" } }, spec: { size: 1 } });
  expect(await client.get(view, key)).toMatchObject({
    kind: "PartialObjectMetadata",
    metadata: { labels: { a: "1" } },
  });
  expect(await client.get(view, key)).not.toHaveProperty("spec");
});

test("Cache watches the named namespaces only, and all others under the empty name", async () => {
  const [one, two, three] = [await newNamespace(), await newNamespace(), await newNamespace()];
  for (const namespace of [one, two, three])
    await createWidget(namespace, `in-${namespace}`, {}, { keep: namespace });
  const only = await start({ namespaces: [one, two] });
  expect(namesOf(await only.client.list(Widget))).toEqual([`in-${one}`, `in-${two}`]);
  await expect(only.client.find(Widget, { namespace: three, name: "a" })).rejects.toThrow("not in the cache");
  await expect(only.client.list(Widget, { namespace: three })).rejects.toThrow("not in the cache");
  const scopes = {
    [one]: { labels: "keep=nothing" },
    [two]: {},
    "": { labels: `keep in (${one}, ${three})` },
  };
  const mixed = await start({ kinds: [[Widget, { namespaces: scopes }]] });
  expect(namesOf(await mixed.client.list(Widget))).toEqual([`in-${two}`, `in-${three}`]);
});

test("Cache narrows and transforms by kind before it does for all", async () => {
  const namespace = await newNamespace();
  const transform = (object: KubernetesObject): KubernetesObject =>
    ({ ...object, spec: {} }) as KubernetesObject;
  await createWidget(namespace, "a", { size: 1 }, { app: "x" });
  await createWidget(namespace, "b", { size: 1 }, { app: "y" });
  const { client } = await start({
    labels: "app=nothing",
    kinds: [[Widget, { labels: "app=x", transform }]],
  });
  expect(await client.list(Widget, { namespace })).toMatchObject([{ metadata: { name: "a" }, spec: {} }]);
  expect(await client.list(ConfigMap, { namespace })).toEqual([]);
});

test("Cache narrows by fields, and drops what a write takes out", async () => {
  const namespace = await newNamespace();
  const { client } = await start({ kinds: [[Widget, { fields: `metadata.namespace=${namespace}` }]] });
  const other = await newNamespace();
  await client.list(Widget);
  await client.create(Widget, { metadata: { name: "in", namespace }, spec: {} });
  await client.create(Widget, { metadata: { name: "out", namespace: other }, spec: {} });
  expect(namesOf(await client.list(Widget))).toEqual(["in"]);
});

test("Cache reads live where it is told to", async () => {
  const namespace = await newNamespace();
  const { cache, client } = await start({ kinds: [[ConfigMap, { live: true }]] });
  await client.list(ConfigMap, { namespace });
  await client.find(Widget, { namespace, name: "x" }, { live: true });
  expect(cache.informers).toEqual([]);
});

test("Cache warns of reads that start an informer, or refuses them", async () => {
  const warnings: string[] = [];
  const warned = await start({ onWarning: (text) => warnings.push(text) });
  await warned.client.list(Widget);
  await warned.client.list(Widget);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("widgets");
  const strict = await start({ missingInformer: "fail" });
  await expect(strict.client.list(Widget)).rejects.toBeInstanceOf(TerminalError);
});

test("Cache sends nothing before it is started, and says so to readers", async () => {
  const { requests } = await start();
  const idle = createCache(live);
  idle.informer(Widget);
  await expect(idle.list(Widget)).rejects.toThrow("not started");
  expect(requests).toEqual([]);
});

test("Informer tells the initial list, changes with the old object, and deletions", async () => {
  const namespace = await newNamespace();
  await createWidget(namespace, "a", { size: 1 });
  const { cache } = await start();
  const events: InformerEvent<Widget>[] = [];
  const subscription = cache.informer(Widget).subscribe((event) => {
    if (event.object.metadata.namespace === namespace) events.push(event);
  });
  await subscription.synced();
  expect(events).toMatchObject([{ type: "add", isInInitialList: true }]);
  await live.patch(Widget, { namespace, name: "a" }, { merge: { spec: { size: 2 } } });
  await live.delete(Widget, { namespace, name: "a" });
  await eventually(() => expect(events).toHaveLength(3));
  expect(events.slice(1)).toMatchObject([
    { type: "update", oldObject: { spec: { size: 1 } }, object: { spec: { size: 2 } }, isResync: false },
    { type: "delete", object: { spec: { size: 2 } }, isStateUnknown: false },
  ]);
});

test("Informer tells a late subscriber what is there, one event at a time, whatever handlers do", async () => {
  const namespace = await newNamespace();
  for (const name of ["a", "b", "c"]) await createWidget(namespace, name);
  const errors: string[] = [];
  const { cache } = await start({ onError: (error) => errors.push(error.message) });
  const informer = cache.informer(Widget);
  await informer.synced();
  let running = 0;
  const told: string[] = [];
  const slow = informer.subscribe(async ({ type, object }) => {
    if (object.metadata.namespace !== namespace) return;
    expect(++running).toBe(1);
    await new Promise(setImmediate);
    running--;
    told.push(`${type} ${object.metadata.name}`);
    throw new Error("handlers may fail");
  });
  expect(slow.hasSynced).toBe(false);
  await slow.synced();
  expect(slow.hasSynced).toBe(true);
  expect(told).toEqual(["add a", "add b", "add c"]);
  expect(errors).toHaveLength(3);
  slow.unsubscribe();
  await createWidget(namespace, "d");
  await eventually(() => informer.get({ namespace, name: "d" }) !== undefined);
  expect(told).toHaveLength(3);
});

test("Informer tells objects again after the resync period, without a request", async () => {
  const namespace = await newNamespace();
  await createWidget(namespace, "a");
  const { cache, requests } = await start();
  const informer = cache.informer(Widget);
  await informer.synced();
  const before = requests.length;
  const resyncs: InformerEvent[] = [];
  const subscription = informer.subscribe(
    (event) => void (event.type === "update" && event.isResync && resyncs.push(event)),
    { resyncPeriod: 1000 },
  );
  await eventually(() => resyncs.length > 0);
  expect(requests).toHaveLength(before);
  subscription.unsubscribe();
  expect(() => informer.subscribe(() => {}, { resyncPeriod: 10 })).toThrow("1000");
});

test("Cache.remove() ends an informer and its subscriptions; the next read starts another", async () => {
  const { cache, client } = await start();
  const informer = cache.informer(Widget);
  const subscription = informer.subscribe(() => {});
  cache.remove(Widget);
  await expect(subscription.synced()).rejects.toThrow("ended");
  expect(cache.existing(Widget)).toBeUndefined();
  await client.list(Widget);
  expect(cache.existing(Widget)).not.toBe(informer);
});

test("Cache tells for metrics how much it holds and when it last heard something", async () => {
  const namespace = await newNamespace();
  await createWidget(namespace, "a");
  const { cache } = await start();
  const informer = cache.informer(Widget);
  expect(informer.stats).toMatchObject({ objects: 0, bytes: 0, lastEventAge: undefined, relists: 0 });
  await informer.synced();
  expect(informer.stats.objects).toBeGreaterThan(0);
  expect(informer.stats.bytes).toBeGreaterThan(100);
  expect(informer.stats.lastEventAge).toBeGreaterThanOrEqual(0);
});

test("Cache waits for a kind whose CRD comes later, and says why it waits", async () => {
  const Gizmo = defineKind({ group: "example.com", version: "v1" }, { kind: "Gizmo", plural: "gizmos" });
  const { cache, client } = await start();
  const informer = cache.informer(Gizmo);
  await eventually(() => informer.stats.lastError !== undefined);
  expect(informer.stats.lastError).toMatchObject({ isNotFound: true });
  const names = { kind: "Gizmo", listKind: "GizmoList", plural: "gizmos", singular: "gizmo" };
  await cluster.installCRD({
    ...crd,
    metadata: { name: "gizmos.example.com" },
    spec: { ...crd.spec, names },
  });
  expect(await client.list(Gizmo)).toEqual([]);
});

test("Cache forgets the objects of a CRD that is deleted, and follows when it comes back", async () => {
  const CRD = defineKind(
    { group: "apiextensions.k8s.io", version: "v1" },
    { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
  );
  const Passing = defineKind(
    { group: "example.com", version: "v1" },
    { kind: "Passing", plural: "passings" },
  );
  const names = { kind: "Passing", listKind: "PassingList", plural: "passings", singular: "passing" };
  const passing = { ...crd, metadata: { name: "passings.example.com" }, spec: { ...crd.spec, names } };
  await cluster.installCRD(passing);
  const namespace = await newNamespace();
  const metadata = { name: "a", namespace };
  const { cache } = await start();
  const informer = cache.informer(Passing);
  const events: string[] = [];
  informer.subscribe(({ type }) => void events.push(type));
  await live.create(Passing, { metadata });
  await eventually(() => expect(informer.get(metadata)).toBeDefined());
  await live.delete(CRD, { name: "passings.example.com" });
  await eventually(() => expect(informer.get(metadata)).toBeUndefined());
  await eventually(async () =>
    expect(await live.find(CRD, { name: "passings.example.com" })).toBeUndefined(),
  );
  await cluster.installCRD(passing);
  await eventually(() => live.create(Passing, { metadata }));
  await eventually(() => expect(informer.get(metadata)).toBeDefined(), { timeout: 15_000 });
  expect(events).toEqual(["add", "delete", "add"]);
});
