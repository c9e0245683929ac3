import { defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { beforeAll, expect, test } from "vitest";
import { useCaches } from "../../../e2e/support/runtime/widget-cache.ts";
import { Widget, widgetDefinition } from "../../../e2e/support/runtime/widget-cluster.ts";
import type { LiveClient } from "../client/live-client.ts";
import { eventually } from "../testing/eventually.ts";
import type { InformerEvent } from "./cache.ts";

const caches = useCaches();
const { cluster, createWidget, newNamespace, start } = caches;
let live: LiveClient;
beforeAll(() => {
  live = caches.live;
});

/** Between two checks, so that a server that is busy for a second is not silent for more than a minute of the clock. */
const step = 1000;

test("Informer delivers the initial list, changes with the old object, and deletions", async () => {
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

test("Informer delivers existing objects to a late subscriber, one event at a time, whatever handlers do", async () => {
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

test("Informer delivers objects again after the resync period, without a request", async () => {
  const namespace = await newNamespace();
  await createWidget(namespace, "a");
  const clock = new FakeClock();
  const { cache, requests } = await start({ clock });
  const informer = cache.informer(Widget);
  await informer.synced();
  const before = requests.length;
  const resyncs: InformerEvent[] = [];
  const subscription = informer.subscribe(
    (event) => void (event.type === "update" && event.isResync && resyncs.push(event)),
    { resyncPeriod: 1000 },
  );
  await clock.advance(899);
  expect(resyncs).toHaveLength(0);
  await clock.advance(201);
  expect(resyncs.length).toBeGreaterThan(0);
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

test("Cache reports its size and the time of the last event for metrics", async () => {
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

test("Cache waits for a kind whose CRD is installed later, and reports the reason", async () => {
  const Gizmo = defineKind({ group: "example.com", version: "v1" }, { kind: "Gizmo", plural: "gizmos" });
  const clock = new FakeClock();
  const { cache, client } = await start({ clock });
  const informer = cache.informer(Gizmo);
  await eventually(() => informer.stats.lastError !== undefined);
  expect(informer.stats.lastError).toMatchObject({ isNotFound: true });
  const names = { kind: "Gizmo", listKind: "GizmoList", plural: "gizmos", singular: "gizmo" };
  await cluster.installCRD({
    ...widgetDefinition,
    metadata: { name: "gizmos.example.com" },
    spec: { ...widgetDefinition.spec, names },
  });
  await eventually(() => clock.advance(step).then(() => informer.hasSynced));
  expect(await client.list(Gizmo)).toEqual([]);
});

test("Cache drops the objects of a CRD that is deleted, and continues when it is recreated", async () => {
  const crdKind = defineKind(
    { group: "apiextensions.k8s.io", version: "v1" },
    { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
  );
  const Passing = defineKind(
    { group: "example.com", version: "v1" },
    { kind: "Passing", plural: "passings" },
  );
  const names = { kind: "Passing", listKind: "PassingList", plural: "passings", singular: "passing" };
  const passing = {
    ...widgetDefinition,
    metadata: { name: "passings.example.com" },
    spec: { ...widgetDefinition.spec, names },
  };
  await cluster.installCRD(passing);
  const namespace = await newNamespace();
  const metadata = { name: "a", namespace };
  const clock = new FakeClock();
  const { cache } = await start({ clock });
  const informer = cache.informer(Passing);
  const events: string[] = [];
  informer.subscribe(({ type }) => void events.push(type));
  await live.create(Passing, { metadata });
  await eventually(() => expect(informer.get(metadata)).toBeDefined());
  await live.delete(crdKind, { name: "passings.example.com" });
  // The watch says so: nothing needs the clock.
  await eventually(() => expect(informer.get(metadata)).toBeUndefined());
  await eventually(async () =>
    expect(await live.find(crdKind, { name: "passings.example.com" })).toBeUndefined(),
  );
  await cluster.installCRD(passing);
  await eventually(() => live.create(Passing, { metadata }));
  await eventually(() => clock.advance(step).then(() => expect(informer.get(metadata)).toBeDefined()));
  expect(events).toEqual(["add", "delete", "add"]);
});
