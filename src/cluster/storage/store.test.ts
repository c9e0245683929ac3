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
