import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Store, type WrittenState } from "./store.ts";

const step = fc.record({
  collection: fc.constantFrom("a", "b"),
  key: fc.constantFrom("x", "y", "z"),
  value: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
});

function write(
  store: Store,
  { collection: name, key, value }: { collection: string; key: string; value: unknown },
) {
  const collection = store.collection(name);
  const entry = collection.get(key);
  if (value !== undefined)
    store.put(collection, key, { kind: "A", apiVersion: "v1", metadata: { name: key }, value });
  else if (entry) store.remove(collection, entry);
}

function statesOf(store: Store): WrittenState[] {
  return store
    .collections()
    .flatMap((collection) =>
      collection.list().map(({ key, bytes }) => ({ resource: collection.name, key, bytes })),
    );
}

function valuesOf(store: Store): Map<string, unknown> {
  const all = store
    .collections()
    .flatMap((collection) =>
      collection.list().map(({ key, object }) => [`${collection.name} ${key}`, object["value"]] as const),
    );
  return new Map(all);
}

test("earlier states come back, and only what differs from them is written", () => {
  fc.assert(
    fc.property(fc.array(step), fc.array(step), (before, after) => {
      const failures: unknown[] = [];
      const store = new Store({ onError: (error) => failures.push(error) });
      for (const each of before) write(store, each);
      const [states, values, revision] = [statesOf(store), valuesOf(store), store.revision];
      for (const each of after) write(store, each);
      const touched = new Set(after.map(({ collection, key }) => `${collection} ${key}`));
      const written: string[] = [];
      store.listen(({ name }, { entry }) => {
        written.push(`${name} ${entry.key}`);
        // A listener that is called for one object sees all of them as they were.
        expect(valuesOf(store)).toEqual(values);
      });
      store.restore(store.snapshotOf(states));
      expect(failures).toEqual([]);
      expect(valuesOf(store)).toEqual(values);
      expect(written.filter((place) => !touched.has(place))).toEqual([]);
      expect(new Set(written).size).toBe(written.length);
      expect(store.revision).toBeGreaterThanOrEqual(revision);
      // A second time there is nothing to do.
      const known = store.revision;
      store.restore(store.snapshotOf(statesOf(store)));
      expect(store.revision).toBe(known);
    }),
  );
});

test("what was restored before the journal failed is told", () => {
  const told: string[] = [];
  let isFull = false;
  const journal = {
    append: (collection: string) => {
      if (isFull && collection === "b") throw new Error("full");
    },
  };
  const store = new Store({ journal });
  store.listen(({ name }, { type, entry }) => told.push(`${type} ${name} ${entry.key}`));
  for (const collection of ["a", "b"]) write(store, { collection, key: "x", value: 1 });
  const snapshot = store.snapshot();
  for (const collection of ["a", "b"]) write(store, { collection, key: "x", value: 2 });
  told.length = 0;
  isFull = true;
  expect(() => store.restore(snapshot)).toThrow("full");
  expect(told).toEqual(["MODIFIED a x"]);
  isFull = false;
  told.length = 0;
  store.restore(snapshot);
  expect(told).toEqual(["MODIFIED a x", "MODIFIED b x"]);
});
