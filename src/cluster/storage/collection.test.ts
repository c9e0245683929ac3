import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Store } from "./store.ts";

const names = fc.constantFrom(
  "a",
  "b",
  "ba",
  "default/a",
  "default/b",
  "default-2/a",
  "e",
  "\u{1f600}",
  "\uffee",
);

test("a list has the entries with its prefix in the order of keys, after any writes and lists", () => {
  const step = fc.record({ key: names, isDeletion: fc.boolean(), isListed: fc.boolean() });
  const prefixes = ["", "default/", "default", "b", "f", "\u{1f600}"];
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = new Store();
      const collection = store.collection("configmaps");
      const model = new Map<string, number>();
      for (const { key, isDeletion, isListed } of steps) {
        const entry = collection.get(key);
        if (!isDeletion) {
          const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: key } };
          model.set(key, store.put(collection, key, object).revision);
        } else if (entry) {
          store.remove(collection, entry);
          model.delete(key);
        }
        if (isListed) collection.list();
      }
      for (const prefix of prefixes) {
        const expected = [...model.keys()].filter((key) => key.startsWith(prefix)).sort();
        expect(collection.list(prefix).map(({ key, revision }) => [key, revision])).toEqual(
          expected.map((key) => [key, model.get(key)]),
        );
      }
    }),
  );
});
