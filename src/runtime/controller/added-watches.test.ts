import { defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { keyOf, type NamespacedName } from "../client/client.ts";
import { ConfigMap, Secret } from "../k8s/core/v1.ts";
import { createLogger } from "../log/logger.ts";
import type { Manager } from "../manager/manager.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { AddedSources } from "./controller.ts";
import type { Controller } from "./controller-spec.ts";
import type { Reconciler } from "./reconciler.ts";

const Shop = defineKind({ group: "example.com", version: "v1" }, { kind: "Shop", plural: "shops" });
const shops = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Shop", listKind: "ShopList", plural: "shops", singular: "shop" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** Starts a controller of ConfigMaps that records the names of its requests; all on one clock. */
async function start(
  reconciler: Partial<Reconciler> = {},
  setup: (controller: Controller, manager: Manager) => void = () => {},
) {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const seen: string[] = [];
  const lines: string[] = [];
  let controller: Controller | undefined;
  const { client, manager, stop } = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig,
      clock,
      controllers: { cacheSyncTimeout: "1m" },
      logger: createLogger({ write: (line) => void lines.push(line), clock }),
    },
    (manager) => {
      controller = manager.controllerFor(ConfigMap, { predicates: [isOurs] }).complete({
        reconcile(asked, context) {
          seen.push(asked.name);
          return reconciler.reconcile?.(asked, context);
        },
      });
      setup(controller, manager);
    },
  );
  onTestFinished(stop);
  const create = (kind: typeof ConfigMap | typeof Secret | typeof Shop, name: string) =>
    client.create(kind, { metadata: { name, namespace: "default" } });
  return { clock, cluster, seen, lines, client, manager, controller: controller!, create, stop };
}

const request = (name: string): NamespacedName => ({ namespace: "default", name });

/** Not those that the cluster makes. */
const isOurs = ({ object }: { object: ConfigMap }): boolean => object.metadata.namespace === "default";

test("a running controller watches one more kind, and no longer once that watch is stopped", async () => {
  const { seen, controller, manager, create, clock } = await start();
  await create(Secret, "before");
  const watch = controller.watch(Secret, (secret) => [keyOf(secret)]);
  await watch.synced;
  await create(Secret, "meanwhile");
  await eventually(() => expect(seen).toEqual(["before", "meanwhile"]));

  watch.stop();
  await create(Secret, "after");
  await eventually(() => manager.cache.find(Secret, { namespace: "default", name: "after" }));
  await create(ConfigMap, "own");
  await moveClock(clock, 1000);
  expect(seen).toEqual(["before", "meanwhile", "own"]);

  await controller.watch(Secret, (secret) => [keyOf(secret)]).synced;
  await eventually(() => expect(seen).toContain("after"));
});

test("a watch that is added before the start begins with it, and one that a reconcile adds outlives it", async () => {
  let own: Controller | undefined;
  const { seen, controller, create, client } = await start(
    {
      async reconcile({ name }) {
        if (name === "first") await own!.watch(Secret, (secret) => [keyOf(secret)]).synced;
      },
    },
    (added) => {
      own = added;
      added.watchSource({ name: "once", start: (enqueue) => enqueue(request("first")) });
    },
  );
  await eventually(() => expect(seen).toEqual(["first"]));
  await eventually(() => expect(controller.active).toBe(0));
  await create(Secret, "later");
  await eventually(() => expect(seen).toContain("later"));
  const { metadata } = await client.get(Secret, { namespace: "default", name: "later" });
  await client.patch(Secret, { metadata }, { merge: { data: { a: "YQ==" } } });
  await eventually(() => expect(seen.filter((name) => name === "later")).toHaveLength(2));
});

test("a watch of a kind whose CRD is missing is reported by name and goes on trying", async () => {
  const { seen, controller, cluster, lines, create, clock } = await start();
  const watch = controller.watch(Shop, (shop) => [keyOf(shop)]);
  const failure = watch.synced.catch((error: Error) => error.message);
  await moveClock(clock, 60_000);
  expect(await failure).toMatch(/shops.example.com installed\?$/);
  expect(lines.filter((line) => line.includes("A watch that was added"))).toEqual([
    expect.stringContaining("kind example.com/v1 Shop"),
  ]);
  const installed = cluster.installCRDs(shops);
  await moveClock(clock, 60_000);
  await installed;
  await create(Shop, "corner");
  await moveClock(clock, 60_000);
  expect(seen).toEqual(["corner"]);
});

test("an event handler sees types and states, and enqueues with priority and delay", async () => {
  const events: unknown[] = [];
  const { seen, controller, create, client, clock } = await start();
  await create(Secret, "old");
  await controller.watchEvents(Secret, (event, enqueue) => {
    const { type, object } = event;
    const before = event.type === "update" ? event.oldObject.data : undefined;
    events.push([type, object.metadata.name, before, object.data]);
    if (type === "delete") enqueue(request("gone"), { after: "1h", priority: 10 });
    else enqueue(request(`${type}-${object.metadata.name}`));
  }).synced;
  const made = await create(Secret, "new");
  await client.patch(Secret, made, { merge: { data: { a: "YQ==" } } });
  await client.delete(Secret, made);
  await moveClock(clock, 3_599_999);
  expect(events).toEqual([
    ["add", "old", undefined, undefined],
    ["add", "new", undefined, undefined],
    ["update", "new", undefined, { a: "YQ==" }],
    ["delete", "new", undefined, { a: "YQ==" }],
  ]);
  expect(seen).toEqual(["add-old", "add-new", "update-new"]);
  await moveClock(clock, 1);
  expect(seen).toEqual(["add-old", "add-new", "update-new", "gone"]);
});

test("an event handler of the builder enqueues by itself", async () => {
  const seen: string[] = [];
  const { create } = await start({}, (_, manager) => {
    manager
      .controllerFor(ConfigMap, { predicates: [() => false] })
      .named("events")
      .watchesEvents(Secret, ({ type, object }, enqueue) =>
        enqueue(request(`${type}-${object.metadata.name}`)),
      )
      .complete({ reconcile: ({ name }) => void seen.push(name) });
  });
  await create(Secret, "new");
  await eventually(() => expect(seen).toEqual(["add-new"]));
});

test("an event handler that throws or enqueues nonsense is reported with the object, and the next event comes", async () => {
  const { seen, controller, create, lines } = await start();
  const watch = controller.watchEvents(Secret, async (event, enqueue) => {
    if (event.object.metadata.name === "a") throw new Error("no idea");
    if (event.object.metadata.name === "b") enqueue(request("x"), { after: "never" as never });
    enqueue(keyOf(event.object));
  });
  await watch.synced;
  for (const name of ["a", "b", "c"]) await create(Secret, name);
  await eventually(() => expect(seen).toEqual(["c"]));
  const failures = lines.filter((line) => line.includes("a handler of kind Secret"));
  expect(failures).toEqual([expect.stringContaining("no idea"), expect.stringContaining("invalid duration")]);
});

test("a map function that returns after its watch was stopped enqueues nothing any more", async () => {
  let answer: (requests: NamespacedName[]) => void = () => {};
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const { seen, controller, create, clock } = await start();
  const watch = controller.watch(Secret, () => {
    asked();
    return new Promise<NamespacedName[]>((resolve) => (answer = resolve));
  });
  await create(Secret, "a");
  await isAsked;
  watch.stop();
  answer([request("late")]);
  await create(ConfigMap, "own");
  await moveClock(clock, 1000);
  expect(seen).toEqual(["own"]);
});

test("a watch is no longer waited for when the manager has stopped, whether it ever began or not", async () => {
  const { controller, stop } = await start();
  await stop();
  const late = controller.watchSource({ name: "late", start: () => new Promise<never>(() => {}) });
  await expect(late.synced).resolves.toBeUndefined();
  const added = new AddedSources<NamespacedName>(createLogger({ write() {} }), async () => {});
  const abort = new AbortController();
  added.warmUp(abort.signal);
  const { synced } = added.add({ name: "after the lease", start() {} });
  abort.abort();
  await expect(synced).resolves.toBeUndefined();
});
