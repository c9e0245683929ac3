import { expect, test } from "vitest";
import { Store } from "./store.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

test("a listener that throws neither undoes a write nor stops other listeners", () => {
  const errors: unknown[] = [];
  const store = new Store({ onError: (error) => errors.push(error) });
  const collection = store.collection("configmaps");
  const heard: string[] = [];
  const broken = (): never => {
    throw new TypeError("broken");
  };
  collection.listen(broken);
  collection.listen(({ revision }) => heard.push(`collection ${revision}`));
  store.listen(broken);
  store.listen((_, { revision }) => heard.push(`store ${revision}`));

  expect(store.put(collection, "default/a", object).revision).toBe(2);
  store.remove(collection, collection.get("default/a")!);

  expect(heard).toEqual(["collection 2", "store 2", "collection 3", "store 3"]);
  expect(errors.map((error) => (error as Error).message)).toEqual([
    "a listener failed on ADDED of configmaps default/a",
    "a listener failed on ADDED of configmaps default/a",
    "a listener failed on DELETED of configmaps default/a",
    "a listener failed on DELETED of configmaps default/a",
  ]);
  expect((errors[0] as Error).cause).toEqual(new TypeError("broken"));
});

test("a write that the journal refuses is not done", () => {
  const store = new Store({
    journal: {
      append() {
        throw new Error("no space left on device");
      },
    },
  });
  const collection = store.collection("configmaps");
  collection.listen(() => expect.unreachable());
  expect(() => store.put(collection, "default/a", object)).toThrow("no space");
  expect([store.revision, collection.size]).toEqual([1, 0]);
});

test("the history of a large object is bounded by bytes, and other resources keep theirs", () => {
  const limit = 4 * 1024 * 1024;
  const store = new Store({ historyBytes: limit });
  const [large, small] = [store.collection("configmaps"), store.collection("pods")];
  for (let index = 0; index < 20; index++) store.put(small, `default/p-${index}`, object);
  for (let index = 0; index < 5; index++) store.put(small, "default/p-0", object);
  const start = store.revision;
  const data = { text: "x".repeat(200_000) };
  for (let index = 0; index < 400; index++) {
    store.put(large, "default/a", { ...object, data });
    expect(store.historyBytes).toBeLessThanOrEqual(limit);
  }
  const kept = large.changesSince(large.compactedRevision)!;
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(limit / 200_000);
  expect(large.changesSince(start)).toBeUndefined();
  expect(small.changesSince(1)).toHaveLength(25);
});

test("creating objects adds no bytes to the history, deleting them adds their last states", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  const entries = Array.from({ length: 10 }, (_, index) =>
    store.put(collection, `default/c-${index}`, object),
  );
  expect(store.historyBytes).toBe(0);
  for (const entry of entries) store.remove(collection, entry);
  expect(store.historyBytes).toBeGreaterThanOrEqual(
    entries.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  store.compact();
  expect(store.historyBytes).toBe(0);
});

test("a list at an earlier revision is in the order of keys", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  const put = (name: string) => store.put(collection, `default/${name}`, object);
  for (const name of ["b", "d", "f"]) put(name);
  store.put(collection, "other/a", object);
  const { revision } = store;
  const before = collection.list("default/");
  for (const name of ["a", "d", "g"]) put(name);
  for (const name of ["b", "f", "a"]) store.remove(collection, collection.get(`default/${name}`)!);
  put("f");
  expect(collection.listAt(revision, "default/")).toEqual(before);
  expect(collection.list("default/").map(({ key }) => key)).toEqual(["default/d", "default/f", "default/g"]);
});

test("lists of a revision expire before watches from it", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  const { revision } = store.put(collection, "default/a", object);
  store.put(collection, "default/b", object);
  store.expireLists(store.revision);
  expect(collection.listAt(revision)).toBeUndefined();
  expect(collection.listAt(store.revision)).toHaveLength(2);
  expect(collection.changesSince(revision)).toHaveLength(1);
});

test("events are encoded again for watchers that resume", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  collection.listen((change) => void (change.encoded = new Map([["ADDED", Buffer.from("{}")]])));
  store.put(collection, "default/a", object);
  expect(collection.changesSince(1)!.map(({ encoded }) => encoded)).toEqual([undefined]);
});

test("a state whose JSON was asked for is kept as JSON only, once many others are written", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  const [sent, unsent] = ["default/a", "default/b"].map((key) => store.put(collection, key, object));
  const [before, same] = [sent!.object, unsent!.object];
  expect(sent!.bytes.toString()).toBe(JSON.stringify(before));
  for (let index = 0; index < 64; index++) store.put(collection, `default/${index}`, object);
  expect(sent!.object).not.toBe(before);
  expect(sent!.object).toEqual(before);
  expect(unsent!.object).toBe(same);
});

test("a former state is kept as JSON, and read again when it is needed", () => {
  const store = new Store();
  const collection = store.collection("configmaps");
  const first = store.put(collection, "default/a", object);
  const { object: before } = first;
  store.put(collection, "default/a", { ...object, data: { k: "v" } });
  expect(first.object).not.toBe(before);
  expect(first.object).toEqual(before);
  const [{ object: listed }] = collection.listAt(first.revision) as [typeof first];
  expect(listed).toEqual(before);
});
