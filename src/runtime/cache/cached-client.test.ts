import { beforeAll, expect, test } from "vitest";
import { namesOf, useCaches } from "../../../e2e/support/runtime/widget-cache.ts";
import { Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import type { Client } from "../client/client.ts";
import type { LiveClient } from "../client/live-client.ts";
import { createCachedClient } from "./cached-client.ts";
import { eventually } from "../testing/eventually.ts";

const caches = useCaches();
const { newNamespace, start } = caches;
let live: LiveClient;
beforeAll(() => {
  live = caches.live;
});

test("Cache reads what it wrote, a thousand times", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const liveOnce = async (at: number) => {
    const key = { namespace, name: `w-${at}` };
    await client.create(Widget, { metadata: key, spec: { size: 0 } });
    const made = await client.get(Widget, key);
    await client.patch(Widget, made, (draft) => void (draft.spec.size = at));
    expect((await client.get(Widget, key)).spec.size).toBe(at);
    await client.patchStatus(Widget, await client.get(Widget, key), { ready: at });
    expect((await client.get(Widget, key)).status?.ready).toBe(at);
    await client.delete(Widget, key);
    expect(await client.find(Widget, key)).toBeUndefined();
  };
  // Ten at a time, so that an object's events arrive between the write and the read of another.
  for (let at = 0; at < 250; at += 10)
    await Promise.all(Array.from({ length: 10 }, (_, offset) => liveOnce(at + offset)));
});

test("Cache reflects deleteAll() at once", async () => {
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

test("Cache reads what was written to a subresource that returns the object", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const key = { namespace, name: "w" };
  await client.create(Widget, { metadata: key, spec: { size: 1 } });
  const readied = async () => (await client.get(Widget, key)).status?.ready;
  expect(await readied()).toBeUndefined();
  const status = client.subresource(Widget, key, "status");
  await status.patch({ merge: { status: { ready: 1 } } });
  expect(await readied()).toBe(1);
  await status.update({ ...(await status.get()), status: { ready: 2 } });
  expect(await readied()).toBe(2);
  await status.patch({ merge: { status: { ready: 3 } } }, { dryRun: true });
  expect(await readied()).toBe(2);
  // A Scale is no Widget.
  await client.subresource(Widget, key, "scale").patch({ merge: { spec: { replicas: 5 } } });
  await eventually(async () =>
    expect(await client.get(Widget, key)).toMatchObject({ kind: "Widget", spec: { size: 5 } }),
  );
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

test("Client.applyFields() sends nothing at a steady state", async () => {
  const namespace = await newNamespace();
  const { cache, client, requests } = await start();
  await cache.informer(Widget).synced();
  const theirs = await live.create(Widget, {
    metadata: { namespace, name: "theirs" },
    spec: { color: "red" },
  });
  await eventually(() => expect(cache.informer(Widget).get(theirs.metadata)).toBeDefined());
  const applied = await client.applyFields(Widget, theirs, { spec: { size: 1 } });
  expect(applied.spec).toEqual({ color: "red", size: 1 });
  const before = requests.length;
  expect(await client.applyFields(Widget, applied, { spec: { size: 1 } })).toBe(applied);
  expect(requests).toHaveLength(before);
});

test("Client.apply() reverts changes of others, except for the status", async () => {
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

test.each<["apply" | "applyOver", number | undefined]>([
  ["apply", undefined],
  ["applyOver", 0],
])("Client.apply() reverts a change that was seen before its own answer: %s", async (method, before) => {
  const namespace = await newNamespace();
  const { cache } = await start();
  const key = { namespace, name: "w" };
  const informer = cache.informer(Widget);
  await informer.synced();
  if (before !== undefined) await live.create(Widget, { metadata: key, spec: { size: before } });
  await eventually(() => expect(informer.get(key)?.spec.size).toBe(before));
  let isSlow = true;
  const slow = Object.create(live) as LiveClient;
  slow[method] = async (...call: unknown[]) => {
    const answer: unknown = await Reflect.apply(live[method], live, call);
    if (!isSlow) return answer as never;
    isSlow = false;
    await live.patch(Widget, key, { merge: { spec: { size: 7 } } });
    await eventually(() => expect(informer.get(key)?.spec.size).toBe(7));
    return answer as never;
  };
  const client = createCachedClient(slow, cache);
  for (let round = 0; round < 2; round++) await client.apply(Widget, { metadata: key, spec: { size: 1 } });
  expect((await live.get(Widget, key)).spec.size).toBe(1);
});

test("Client.apply() is sent to a namespace that the cache doesn't watch", async () => {
  const [watched, other] = [await newNamespace(), await newNamespace()];
  const { cache, client } = await start({ namespaces: [watched] });
  await cache.informer(Widget).synced();
  const key = { namespace: other, name: "w" };
  expect((await client.apply(Widget, { metadata: key, spec: { size: 1 } })).spec.size).toBe(1);
  expect((await live.get(Widget, key)).spec.size).toBe(1);
});

test("Client.apply() doesn't take an object away from another owner, read from the cache", async () => {
  const namespace = await newNamespace();
  const { cache, client, requests } = await start();
  await cache.informer(Widget).synced();
  const make = (name: string) => client.create(Widget, { metadata: { name, namespace }, spec: {} });
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
  const dry = client.with({ dryRun: true });
  await dry.create(Widget, { metadata: key, spec: {} });
  expect(await client.find(Widget, key)).toBeUndefined();
  await client.create(Widget, { metadata: key, spec: {} });
  expect(await dry.delete(Widget, key)).toBe(true);
  expect(await client.find(Widget, key)).toBeDefined();
});

test("Client.delete() says whether there was something to delete, dry or not", async () => {
  const namespace = await newNamespace();
  const { client } = await start();
  const key = { namespace, name: "gone" };
  await client.list(Widget);
  expect(await client.delete(Widget, key)).toBe(false);
  expect(await client.with({ dryRun: true }).delete(Widget, key)).toBe(false);
  await client.create(Widget, { metadata: key, spec: {} });
  expect(await client.delete(Widget, key)).toBe(true);
});

test.each([
  ["without a cache of the kind", false],
  ["with one", true],
])("Client.apply() returns a frozen object %s, whether or not it sent something", async (_, isCached) => {
  const namespace = await newNamespace();
  const { cache, client } = await start({ transform: (object) => ({ ...object, spec: {} }) as Widget });
  if (isCached) await cache.informer(Widget).synced();
  const apply = (): Promise<Widget> =>
    client.apply(Widget, { metadata: { name: "w", namespace }, spec: { parts: ["a"] } });
  const results = [await apply(), await apply()];
  for (const { metadata, spec } of results) {
    expect(Object.isFrozen(metadata) && Object.isFrozen(spec)).toBe(true);
    expect(spec).toEqual(isCached ? {} : { parts: ["a"] });
  }
});

test("Client.apply() returns a frozen object also outside of the cache's selection", async () => {
  const namespace = await newNamespace();
  const { cache, client } = await start({ labels: "cached" });
  await cache.informer(Widget).synced();
  const applied = await client.apply(Widget, { metadata: { name: "w", namespace }, spec: { size: 1 } });
  expect(Object.isFrozen(applied.spec)).toBe(true);
});

test.each<[string, (client: Client) => Client]>([
  ["Object.create()", (client) => Object.create(client) as Client],
  ["a proxy", (client) => new Proxy(client, {})],
])(
  "a client that is wrapped by %s works as before, except for what the wrapper overrides",
  async (_, wrap) => {
    const namespace = await newNamespace();
    const { client } = await start();
    for (const inner of [client, live]) {
      const wrapper = wrap(inner);
      const key = { namespace, name: wrapper === inner ? "same" : `w-${Number(inner === live)}` };
      const applied = await wrapper.apply(Widget, { metadata: key, spec: { size: 1 } });
      await wrapper.patch(Widget, applied, (draft) => void (draft.spec.size = 2));
      await wrapper.patchStatus(Widget, await wrapper.get(Widget, key), { ready: 2 });
      expect(await wrapper.with({ namespace }).find(Widget, key)).toMatchObject({
        spec: { size: 2 },
        status: { ready: 2 },
      });
      await wrapper.delete(Widget, key);
      wrapper.find = () => Promise.reject(new Error("overridden"));
      await expect(wrapper.find(Widget, key)).rejects.toThrow("overridden");
    }
  },
);
