import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { beforeAll, expect, test } from "vitest";
import { ConfigMap, namesOf, useCaches } from "../../../e2e/support/runtime/widget-cache.ts";
import { Namespace, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { Children } from "../client/children.ts";
import type { Stored } from "../client/client.ts";
import type { LiveClient } from "../client/live-client.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { trackingFinalizer } from "../client/tracked-children.ts";
import { TerminalError } from "../errors/api-error.ts";
import { eventually } from "../testing/eventually.ts";
import { createCache } from "./create-cache.ts";

const caches = useCaches();
const { createWidget, newNamespace, start } = caches;
let live: LiveClient;
beforeAll(() => {
  live = caches.live;
});

test("Cache gives frozen objects with kind and without managed fields", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  await live.create(ConfigMap, { metadata: { name: "c", namespace }, data: { a: "1" } });
  const found = await client.get(ConfigMap, { namespace, name: "c" });
  expect(found).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  expect(found.metadata).not.toHaveProperty("managedFields");
  expect(() => {
    (found as ConfigMap).data!.a = "2";
  }).toThrow(TypeError);
  const copy: ConfigMap = structuredClone(found);
  copy.data!.a = "2";
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

test("Cache.keepOnly() doesn't cache the rest of a kind, and throws if the kind is already cached", async () => {
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

test("Cache checks the scope of a kind like the server", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  expect(await client.find(Namespace, { name: namespace, namespace: "ignored" as never })).toBeDefined();
  await expect(client.find(Widget as Kind, { name: "x" })).rejects.toThrow("needs a namespace");
  await createWidget(namespace, "everywhere");
  await eventually(async () =>
    expect(namesOf(await client.list(Widget, { namespace: "" }))).toContain("everywhere"),
  );
});

test("Cache finds objects by indexes, several values each, across namespaces, added at any time", async () => {
  const [one, two] = [await newNamespace(), await newNamespace()];
  const { cache, client } = await start();
  cache.addIndex(Widget, "color", ({ spec }) => (spec.color ?? "").split("+"));
  await createWidget(one, "a", { color: "teal+navy" });
  await createWidget(two, "b", { color: "navy" });
  await eventually(async () =>
    expect(await client.list(Widget, { fields: { color: "navy" } })).toHaveLength(2),
  );
  expect(namesOf(await client.list(Widget, { namespace: one, fields: { color: "navy" } }))).toEqual(["a"]);
  cache.addIndex(Widget, "name", ({ metadata }) => [metadata.name]);
  expect(namesOf(await client.list(Widget, { fields: { color: "navy", name: "b" } }))).toEqual(["b"]);
  await client.patch(Widget, { namespace: two, name: "b" }, { merge: { spec: { color: "teal" } } });
  expect(namesOf(await client.list(Widget, { fields: { color: "teal" } }))).toEqual(["a", "b"]);
  expect(namesOf(await client.list(Widget, { fields: { color: "navy" } }))).toEqual(["a"]);
  expect(() => cache.addIndex(Widget, "name", () => [])).toThrow("already");
  await expect(client.list(Widget, { fields: { nothing: "x" } })).rejects.toThrow('no index "nothing"');
});

test("Cache finds the objects of an owner as the server does, by reference and by label, without visiting all", async () => {
  const [near, far] = [await newNamespace(), await newNamespace()];
  let visits = 0;
  // A search for an owner reads this field.
  const countVisits = (object: KubernetesObject): KubernetesObject => {
    const { ownerReferences } = object.metadata;
    const get = () => (visits++, ownerReferences);
    Object.defineProperty(object.metadata, "ownerReferences", { get, enumerable: true, configurable: true });
    return object;
  };
  const { client } = await start({ transform: countVisits });
  const owners = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const made = await createWidget(near, `owner-${at}`);
      const owner = await live.patch(Widget, made, ({ metadata }) => {
        metadata.finalizers = [trackingFinalizer(made)];
      });
      const children = new Children(live, owner);
      for (const namespace of [near, far])
        for (const name of ["a", "b"])
          await children.set(ConfigMap, { namespace, name: `${name}-${at}` }, { metadata: {} });
      return owner;
    }),
  );
  const [owner] = owners as [Stored<Widget>];
  await eventually(async () => expect(await client.list(ConfigMap, { owner })).toHaveLength(4));
  for (const reader of [client, live]) {
    const find = async (selection: object) => namesOf(await reader.list(ConfigMap, { owner, ...selection }));
    expect(await find({})).toEqual(["a-0", "a-0", "b-0", "b-0"]);
    expect(await find({ namespace: far })).toEqual(["a-0", "b-0"]);
    expect(await find({ fields: { "metadata.name": "b-0" } })).toEqual(["b-0", "b-0"]);
    expect(await find({ limit: 3 })).toHaveLength(3);
  }
  const objects = (await client.list(ConfigMap)).length;
  visits = 0;
  for (const one of owners) {
    const children = new Children(client, one);
    children.addEach(ConfigMap, [{ metadata: { name: `a-${one.metadata.name.slice(6)}` } }]);
    await children.apply();
    await children.prune(ConfigMap);
  }
  expect(visits).toBeLessThan(10 * objects);
  await eventually(async () => expect(await client.list(ConfigMap, { owner })).toHaveLength(1));
  expect(namesOf(await live.list(ConfigMap, { owner }))).toEqual(["a-0"]);
});

test("Cache can keep only metadata, and includes writes there too", async () => {
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

test("Cache prefers selectors and transforms of a kind over those for all kinds", async () => {
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

test("Cache selects by fields, and drops an object that a write deselects", async () => {
  const namespace = await newNamespace();
  const { client } = await start({ kinds: [[Widget, { fields: `metadata.namespace=${namespace}` }]] });
  const other = await newNamespace();
  await client.list(Widget);
  await client.create(Widget, { metadata: { name: "in", namespace }, spec: {} });
  await client.create(Widget, { metadata: { name: "out", namespace: other }, spec: {} });
  expect(namesOf(await client.list(Widget))).toEqual(["in"]);
});

test("Cache reads live if configured", async () => {
  const namespace = await newNamespace();
  const { cache, client } = await start({ kinds: [[ConfigMap, { live: true }]] });
  await client.list(ConfigMap, { namespace });
  await client.find(Widget, { namespace, name: "x" }, { live: true });
  expect(cache.informers).toEqual([]);
});

test("Cache warns of reads that start an informer, or throws", async () => {
  const warnings: string[] = [];
  const warned = await start({ onWarning: (text) => warnings.push(text) });
  await warned.client.list(Widget);
  await warned.client.list(Widget);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("widgets");
  const strict = await start({ missingInformer: "fail" });
  await expect(strict.client.list(Widget)).rejects.toBeInstanceOf(TerminalError);
});

test("Cache sends nothing before it is started, and reads throw", async () => {
  const { requests } = await start();
  const idle = createCache(live);
  idle.informer(Widget);
  await expect(idle.list(Widget)).rejects.toThrow("not started");
  expect(requests).toEqual([]);
});

test("createCache() rejects an empty list of namespaces, which would never sync", () => {
  const hint = "omit it for all namespaces";
  expect(() => createCache(live, { namespaces: [] })).toThrow(
    `the namespaces of the cache are an empty list: ${hint}`,
  );
  expect(() => createCache(live, { kinds: [[Widget, { namespaces: {} }]] })).toThrow(
    `the namespaces of widgets in the cache are an empty list: ${hint}`,
  );
});

test("Cache passes on the server's own error if a live read finds nothing", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const key = { namespace, name: "missing" };
  await expect(client.get(Widget, key, { live: true })).rejects.toMatchObject({
    isNotFound: true,
    message: expect.stringContaining('widgets.example.com "missing" not found') as string,
    body: { details: { name: "missing", kind: "widgets" } },
  });
  await expect(client.get(Widget, key)).rejects.toThrow("not found in the cache");
});
