import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { namesOf, useCaches } from "../../../e2e/support/runtime/widget-cache.ts";
import { Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { CallbackError } from "../callbacks/callbacks.ts";
import { eventually } from "../testing/eventually.ts";

const caches = useCaches();
const { createWidget, newNamespace, start } = caches;

/** Ways in which a function can fail. */
const ways: { readonly [way: string]: (object: KubernetesObject) => unknown } = {
  "throws an error": () => {
    throw new Error("boom");
  },
  "throws no error": () => {
    throw null;
  },
  "returns nothing": () => undefined,
  "returns a text": () => "boom",
  "returns another object": () => ({ metadata: {} }),
  "fails after it emptied the object": (object) => {
    for (const field of Object.keys(object.metadata))
      delete (object.metadata as { [field: string]: unknown })[field];
    throw new Error("boom");
  },
};

const isBad = (object: KubernetesObject): boolean => object.metadata.labels?.["bad"] === "true";

test.for(Object.keys(ways))(
  "with a transform that %s the original object is cached, and no event is lost",
  async (way) => {
    const namespace = await newNamespace();
    const errors: Error[] = [];
    const { cache, client } = await start({
      namespaces: [namespace],
      transform: (object) => (isBad(object) ? (ways[way]!(object) as KubernetesObject) : object),
      onError: (error) => void errors.push(error),
    });
    const told: string[] = [];
    cache.informer(Widget).subscribe(({ type, object }) => void told.push(`${type} ${object.metadata.name}`));
    await cache.synced();
    await createWidget(namespace, "bad", {}, { bad: "true" });
    await createWidget(namespace, "good");
    await eventually(() => expect(told).toEqual(["add bad", "add good"]));
    expect(namesOf(await client.list(Widget, { namespace }))).toEqual(["bad", "good"]);
    await caches.live.delete(Widget, { namespace, name: "bad" });
    await eventually(() => expect(told.at(-1)).toBe("delete bad"));
    expect(namesOf(await client.list(Widget, { namespace }))).toEqual(["good"]);
    expect(errors[0]).toMatchObject({ callback: "transform", object: `${namespace}/bad` });
    expect(errors.every((error) => error instanceof CallbackError)).toBe(true);
  },
);

test.for(Object.keys(ways).slice(0, -1))(
  "with an index function that %s the object is not indexed, and no event is lost",
  async (way) => {
    const namespace = await newNamespace();
    const errors: Error[] = [];
    const { cache, client } = await start({
      namespaces: [namespace],
      onError: (error) => void errors.push(error),
    });
    const told: string[] = [];
    cache.addIndex(Widget, "all", (object) => (isBad(object) ? (ways[way]!(object) as string[]) : ["yes"]));
    cache.informer(Widget).subscribe(({ type, object }) => void told.push(`${type} ${object.metadata.name}`));
    await cache.synced();
    const bad = await createWidget(namespace, "bad", {}, { bad: "true" });
    await createWidget(namespace, "good");
    const indexed = async () => namesOf(await client.list(Widget, { namespace, fields: { all: "yes" } }));
    await eventually(() => expect(told).toEqual(["add bad", "add good"]));
    expect(await indexed()).toEqual(["good"]);
    await caches.live.patch(Widget, bad, ({ metadata }) => {
      metadata.labels = { bad: "false" };
    });
    await eventually(async () => expect(await indexed()).toEqual(["bad", "good"]));
    await caches.live.delete(Widget, { namespace, name: "bad" });
    await eventually(() => expect(told.slice(2)).toEqual(["update bad", "delete bad"]));
    expect(await indexed()).toEqual(["good"]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      callback: "index",
      subject: 'the index "all"',
      object: `${namespace}/bad`,
    });
  },
);

test("with an index function that returns other values each time, deleted objects leave the index", async () => {
  const namespace = await newNamespace();
  const { cache, client } = await start({ namespaces: [namespace] });
  let calls = 0;
  cache.addIndex(Widget, "odd", () => [calls++ === 0 ? "first" : "later"]);
  await cache.synced();
  await createWidget(namespace, "a");
  const found = async () => namesOf(await client.list(Widget, { namespace, fields: { odd: "first" } }));
  await eventually(async () => expect(await found()).toEqual(["a"]));
  await caches.live.delete(Widget, { namespace, name: "a" });
  await eventually(async () => expect(await found()).toEqual([]));
});

test("an exception in a handler or onError ends no subscription", async () => {
  const namespace = await newNamespace();
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", note);
  const { cache } = await start({
    namespaces: [namespace],
    onError: () => {
      throw new Error("nobody listens");
    },
  });
  const told: string[] = [];
  cache.informer(Widget).subscribe(({ object }) => {
    told.push(object.metadata.name);
    throw new Error("boom");
  });
  await cache.synced();
  await createWidget(namespace, "a");
  await createWidget(namespace, "b");
  await eventually(() => expect(told).toEqual(["a", "b"]));
  await eventually(() => expect(warnings).toContain("the cache's onError failed: nobody listens"));
  process.off("warning", note);
});
