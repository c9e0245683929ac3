import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";

/** A schema for `spec` with rules, and writes: creates without a value before, else updates. */
export interface RuleCase {
  readonly name: string;
  readonly spec: JSONSchema;
  readonly writes: readonly { readonly before?: unknown; readonly after: unknown }[];
}

const rules = (...list: readonly ValidationRule[]): JSONSchema => ({ "x-kubernetes-validations": list });

const text: JSONSchema = { type: "string", maxLength: 100 };

const pair: JSONSchema = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } };

const create = (...values: readonly unknown[]): { after: unknown }[] => values.map((after) => ({ after }));

/** Transition rules, cost limits, and values with special CEL types. */
export const transitionCases: readonly RuleCase[] = [
  {
    name: "transition",
    spec: {
      ...pair,
      ...rules(
        { rule: "self.a >= oldSelf.a" },
        { rule: "!has(oldSelf.b) || has(self.b)", message: "b must stay" },
      ),
    },
    writes: [
      { after: { a: 1 } },
      { before: { a: 2, b: 1 }, after: { a: 1 } },
      { before: { a: 2 }, after: { a: 3 } },
      { before: { a: 2 }, after: { a: 2 } },
    ],
  },
  {
    name: "transition of fields",
    spec: {
      type: "object",
      properties: { x: { ...text, ...rules({ rule: "self == oldSelf", message: "immutable" }) } },
    },
    writes: [
      { before: { x: "a" }, after: { x: "b" } },
      { before: {}, after: { x: "b" } },
      { before: { x: "a" }, after: {} },
    ],
  },
  {
    name: "optional oldSelf",
    spec: {
      type: "object",
      properties: {
        x: {
          ...text,
          ...rules({
            rule: "oldSelf.hasValue() ? self == oldSelf.value() : self == 'first'",
            optionalOldSelf: true,
          }),
        },
      },
    },
    writes: [
      { after: { x: "b" } },
      { after: { x: "first" } },
      { before: { x: "a" }, after: { x: "b" } },
      { before: { x: "a" }, after: { x: "a" } },
      { before: {}, after: { x: "b" } },
    ],
  },
  {
    name: "transition in a list map",
    spec: {
      type: "object",
      properties: {
        m: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: text, v: { type: "integer" } },
            ...rules({ rule: "self.v >= oldSelf.v" }),
          },
        },
      },
    },
    writes: [
      {
        before: {
          m: [
            { k: "a", v: 2 },
            { k: "b", v: 2 },
          ],
        },
        after: {
          m: [
            { k: "b", v: 1 },
            { k: "a", v: 3 },
          ],
        },
      },
      { before: { m: [{ k: "a", v: 2 }] }, after: { m: [{ k: "c", v: 1 }] } },
    ],
  },
  {
    name: "transition in a map",
    spec: {
      type: "object",
      properties: {
        m: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { type: "integer", ...rules({ rule: "self >= oldSelf" }) },
        },
      },
    },
    writes: [{ before: { m: { a: 2, b: 2 } }, after: { m: { a: 1, b: 3, c: 0 } } }],
  },
  {
    name: "ratcheting",
    spec: {
      type: "object",
      properties: {
        x: { ...text, ...rules({ rule: "self.startsWith('a')" }) },
        y: { type: "integer" },
        l: { type: "array", maxItems: 5, items: { ...text, ...rules({ rule: "self.startsWith('a')" }) } },
        m: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: {
            type: "object",
            required: ["k"],
            properties: { k: text, v: { type: "integer", ...rules({ rule: "self > 5" }) } },
          },
        },
        p: { ...pair, ...rules({ rule: "self.a == self.b" }) },
      },
      ...rules({ rule: "!has(self.y) || self.y < 3" }),
    },
    writes: [
      { before: { x: "b" }, after: { x: "b", y: 1 } },
      { before: { x: "b" }, after: { x: "c", y: 1 } },
      { before: { x: "b", y: 5 }, after: { x: "b", y: 5 } },
      { before: { y: 5 }, after: { y: 5, x: "a" } },
      { before: { l: ["b"] }, after: { l: ["b"], y: 1 } },
      { before: { l: ["b"] }, after: { l: ["b", "a"] } },
      {
        before: {
          m: [
            { k: "a", v: 1 },
            { k: "b", v: 9 },
          ],
        },
        after: {
          m: [
            { k: "b", v: 9 },
            { k: "a", v: 1 },
          ],
          y: 1,
        },
      },
      { before: { m: [{ k: "a", v: 1 }] }, after: { m: [{ k: "a", v: 2 }] } },
      { before: { p: { a: 1, b: 2 } }, after: { p: { a: 1, b: 2 }, y: 1 } },
      { before: { p: { a: 1, b: 2 } }, after: { p: { a: 1, b: 3 } } },
    ],
  },
  {
    name: "sets and list maps compare without order",
    spec: {
      type: "object",
      properties: {
        s: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "set",
          items: { type: "string", maxLength: 5 },
        },
        l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 5 } },
      },
      ...rules(
        { rule: "self.s == oldSelf.s", message: "set changed" },
        { rule: "self.l == oldSelf.l", message: "list changed" },
      ),
    },
    writes: [{ before: { s: ["a", "b"], l: ["a", "b"] }, after: { s: ["b", "a"], l: ["b", "a"] } }],
  },
  {
    name: "cost limit of a call",
    spec: {
      type: "object",
      properties: {
        t: {
          type: "array",
          maxItems: 400,
          items: { type: "integer" },
          ...rules({ rule: "self.all(x, self.all(y, x + y > 0))" }),
        },
        u: { type: "integer", ...rules({ rule: "self > 5" }) },
      },
    },
    writes: create({ t: Array.from({ length: 400 }, (_, index) => index + 1), u: 1 }, { t: [1, 2], u: 1 }),
  },
  {
    name: "escaped names",
    spec: {
      type: "object",
      properties: { "a-b": text, namespace: text, "x.y/z": text, __under: text, "1st": text, in: text },
      ...rules(
        { rule: "self.a__dash__b == 'x'" },
        { rule: "self.__namespace__ == 'x'" },
        { rule: "self.x__dot__y__slash__z == 'x'" },
        { rule: "self.__underscores__under == 'x'" },
        { rule: "self.__in__ == 'x'" },
        { rule: "self.namespace == 'x'" },
      ),
    },
    writes: create({ "a-b": "y", namespace: "y", "x.y/z": "y", __under: "y", "1st": "y", in: "y" }),
  },
  {
    name: "formats",
    spec: {
      type: "object",
      properties: {
        d: { type: "string", format: "duration" },
        t: { type: "string", format: "date-time" },
        b: { type: "string", format: "byte" },
      },
      ...rules(
        { rule: "self.d < duration('1h')" },
        { rule: "self.t < timestamp('2020-01-01T00:00:00Z')" },
        { rule: "self.b == b'x'" },
      ),
    },
    writes: create(
      { d: "2h", t: "2024-01-01T00:00:00Z", b: "aGk=" },
      { d: "3 days", t: "2024-01-01T00:00:00.5+01:00", b: "eA==" },
    ),
  },
  {
    name: "preserved and embedded",
    spec: {
      type: "object",
      properties: {
        r: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          ...rules({ rule: "self.kind == 'Pod' && self.metadata.name == 'x'" }),
        },
      },
    },
    writes: create(
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "y" }, other: 1 } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } } },
    ),
  },
];
