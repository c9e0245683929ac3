import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ListItems } from "./reflector.ts";

test("ListItems finds the items of any list, wherever the chunks are cut", () => {
  const text = fc.string({ unit: "binary", maxLength: 8 });
  const item = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 });
  const list = fc.record({
    metadata: fc.record({ resourceVersion: text, continue: fc.string() }),
    extra: fc.jsonValue({ maxDepth: 1 }),
    items: fc.array(item, { maxLength: 5 }),
    kind: fc.constant("PodList"),
  });
  fc.assert(
    fc.property(list, fc.boolean(), fc.array(fc.nat()), (value, isPretty, cuts) => {
      const bytes = Buffer.from(JSON.stringify(value, undefined, isPretty ? 2 : 0));
      const items = new ListItems();
      const places = [...new Set([0, ...cuts.map((at) => at % (bytes.length + 1)), bytes.length])];
      places.sort((a, b) => a - b);
      const found = places.slice(1).flatMap((end, at) => items.push(bytes.subarray(places[at], end)));
      expect(found.map((text) => JSON.parse(text) as unknown)).toEqual(
        JSON.parse(JSON.stringify(value.items)),
      );
      expect(items.finish()).toEqual(value.metadata);
    }),
    { numRuns: 50 },
  );
});

test("ListItems takes a list without items, and with null", () => {
  for (const text of [
    '{"kind":"PodList","metadata":{"resourceVersion":"1"}}',
    '{"kind":"PodList","items":null,"metadata":{"resourceVersion":"1"}}',
  ]) {
    const items = new ListItems();
    expect(items.push(Buffer.from(text))).toEqual([]);
    expect(items.finish()).toEqual({ resourceVersion: "1" });
  }
});

test("ListItems notices that a list was cut off", () => {
  const items = new ListItems();
  items.push(Buffer.from('{"metadata":{},"items":[{"a":1},{"b"'));
  expect(() => items.finish()).toThrow(SyntaxError);
});

test.for([
  "{}",
  "null",
  '"List"',
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}',
  '{"metadata":{"resourceVersion":"1"},"items":[]}',
])("ListItems refuses %s as a list: its objects would all be deleted", (text) => {
  const items = new ListItems();
  items.push(Buffer.from(text));
  expect(() => items.finish()).toThrow("it is not a list: ");
});

test("ListItems is not misled by a field of that name in an item or in the metadata", () => {
  const items = new ListItems();
  const text = '{"kind":"List","metadata":{"items":["x"]},"items":[{"items":[{"a":"]}"}]}]}';
  expect(items.push(Buffer.from(text))).toEqual(['{"items":[{"a":"]}"}]}']);
  expect(items.finish()).toEqual({ items: ["x"] });
});
