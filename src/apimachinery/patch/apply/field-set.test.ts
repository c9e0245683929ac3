import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldSet, PathElement } from "./field-set.ts";
import {
  difference,
  differenceBelow,
  emptySet,
  fieldElement,
  fieldSetOf,
  intersection,
  isEmptySet,
  isEqualSet,
  keyElement,
  pathsOf,
  union,
  valueElement,
  decodeFieldsV1,
  encodeFieldsV1,
} from "./field-set.ts";

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom("a", "b", ".", "f:x", "k:{}", "__proto__").map(fieldElement),
  fc.constantFrom({ name: "a" }, { port: 80, protocol: "TCP" }, { port: 9, protocol: "TCP" }).map(keyElement),
  fc.constantFrom("x", 1, 10, true, null).map(valueElement),
  fc.constantFrom("i:0", "i:1"),
);
const set: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  .map((paths) => fieldSetOf(...paths));

const texts = (value: FieldSet) => new Set(pathsOf(value).map((path) => JSON.stringify(path)));

describe("fieldsV1", () => {
  it("round-trips", () => {
    fc.assert(
      fc.property(set, (value) => {
        const encoded = JSON.parse(JSON.stringify(encodeFieldsV1(value))) as never;
        const decoded = decodeFieldsV1(encoded)!;
        expect(texts(decoded)).toEqual(texts(value));
        expect(JSON.stringify(encodeFieldsV1(decoded))).toBe(JSON.stringify(encodeFieldsV1(value)));
      }),
    );
  });

  it("marks a path that has others below it with a dot, and sorts path elements", () => {
    const paths = fieldSetOf(
      ["f:spec", "f:ports", keyElement({ protocol: "TCP", containerPort: 443 })],
      ["f:spec", "f:ports", keyElement({ containerPort: 80, protocol: "TCP" }), "f:name"],
      ["f:spec", "f:ports", keyElement({ containerPort: 80, protocol: "TCP" })],
      ["f:spec", "f:replicas"],
      ["f:metadata", "f:finalizers", valueElement("b")],
      ["f:metadata", "f:finalizers", valueElement("a")],
    );
    expect(JSON.stringify(encodeFieldsV1(paths))).toBe(
      '{"f:metadata":{"f:finalizers":{"v:\\"a\\"":{},"v:\\"b\\"":{}}},"f:spec":{"f:ports":{' +
        '"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}},' +
        '"k:{\\"containerPort\\":443,\\"protocol\\":\\"TCP\\"}":{}},"f:replicas":{}}}',
    );
  });

  it("decodes keys in any order to the same path element", () => {
    const decoded = decodeFieldsV1({ 'k:{"protocol":"TCP","containerPort":80}': {} })!;
    expect(isEqualSet(decoded, fieldSetOf([keyElement({ containerPort: 80, protocol: "TCP" })]))).toBe(true);
  });

  it.each([[{ "x:a": {} }], [{ "f:a": 1 }], [{ "k:[]": {} }], [{ "v:{": {} }], [[]], ["x"], [{ "i:x": {} }]])(
    "refuses %j",
    (fields) => {
      expect(decodeFieldsV1(fields as never)).toBeUndefined();
    },
  );
});

describe("field sets", () => {
  it("obey the laws of sets", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [inA, inB] = [texts(a), texts(b)];
        expect(texts(union(a, b))).toEqual(new Set([...inA, ...inB]));
        expect(texts(intersection(a, b))).toEqual(new Set([...inA].filter((path) => inB.has(path))));
        expect(texts(difference(a, b))).toEqual(new Set([...inA].filter((path) => !inB.has(path))));
      }),
    );
  });

  it("can subtract what is below a path, too", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const left = differenceBelow(a, b);
        const subtracted = pathsOf(b).map((path) => JSON.stringify(path).slice(0, -1));
        const below = (path: string) =>
          subtracted.some((start) => path === `${start}]` || path.startsWith(`${start},`));
        expect(texts(left)).toEqual(new Set([...texts(a)].filter((path) => !below(path))));
      }),
    );
  });

  it("are empty without paths", () => {
    expect(isEmptySet(difference(fieldSetOf(["f:a", "f:b"]), fieldSetOf(["f:a", "f:b"])))).toBe(true);
    expect(pathsOf(emptySet)).toEqual([]);
  });
});
