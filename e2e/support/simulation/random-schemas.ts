import * as fc from "fast-check";

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
export const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 });

export const texts = fc.constantFrom(
  "Its value.",
  "Two\nlines.",
  "Mail @default to a@b.c.",
  "+optional",
  "a | b",
  "`x`",
);
const names = fc.constantFrom("a", "b", "c-d", "e.f", "namespace", "constructor", "__proto__", "1st", "it's");

/** Keywords that every node may have. */
const documented = {
  description: rarely(texts),
  title: rarely(fc.constantFrom("A title", "3", 'say "hi"')),
  nullable: rarely(fc.constant(true)),
  externalDocs: rarely(fc.constant({ url: "https://example.com", description: "More, here." })),
  "x-kubernetes-validations": rarely(fc.constant([{ rule: "true", message: "it's `never` false" }])),
};

const scalars: fc.Arbitrary<object> = fc.oneof(
  fc.record({
    ...documented,
    type: fc.constant("string"),
    format: optional(fc.constantFrom("date-time", "email", "byte")),
    minLength: optional(fc.nat(2)),
    maxLength: optional(fc.integer({ min: 3, max: 5 })),
    pattern: optional(fc.constantFrom("^a+$", "^`\\\\d`$", '^"x"$')),
  }),
  fc.record({
    ...documented,
    type: fc.constant("string"),
    enum: fc.uniqueArray(fc.constantFrom("x", "it's", "true", "1", "", "a;b", "{}"), { minLength: 1 }),
  }),
  fc.record({
    ...documented,
    nullable: fc.constant(true),
    type: fc.constant("string"),
    enum: optional(fc.constantFrom(["x", null], ["x"], [null])),
    allOf: optional(fc.constantFrom([{ enum: ["x", "y"] }], [{ minLength: 1 }])),
  }),
  fc.record({
    ...documented,
    type: fc.constantFrom("integer", "number"),
    format: optional(fc.constantFrom("int32", "int64")),
    minimum: optional(fc.constantFrom(-1, 0, 1)),
    maximum: optional(fc.constantFrom(9, 10)),
    exclusiveMinimum: rarely(fc.constant(true)),
    multipleOf: rarely(fc.constant(1)),
    enum: rarely(fc.uniqueArray(fc.constantFrom(1, 2, 3), { minLength: 1 })),
  }),
  fc.record({
    ...documented,
    type: fc.constant("boolean"),
    enum: rarely(fc.constantFrom([true], [true, false])),
  }),
  fc.record({
    ...documented,
    "x-kubernetes-int-or-string": fc.constant(true),
    anyOf: fc.constant([{ type: "integer" }, { type: "string" }]),
    enum: rarely(fc.constantFrom([1, "x"])),
  }),
  fc.record({ ...documented, "x-kubernetes-preserve-unknown-fields": fc.constant(true) }),
);

/** Schemas of objects of all shapes, with names that are hostile to programs. */
export const randomObjectSchemas: fc.Arbitrary<object> = fc.letrec<{ node: object; object: object }>(
  (tie) => ({
    object: fc
      .record({
        ...documented,
        type: fc.constant("object"),
        properties: fc.dictionary(names, tie("node"), { minKeys: 1, maxKeys: 3 }),
        "x-kubernetes-preserve-unknown-fields": rarely(fc.constant(true)),
        "x-kubernetes-map-type": rarely(fc.constant("atomic")),
        minProperties: rarely(fc.constant(1)),
        requires: fc.boolean(),
      })
      .map(({ requires, ...node }) => ({
        ...node,
        required: requires ? [Object.keys(node.properties).sort()[0]] : undefined,
      })),
    node: fc.oneof(
      { depthSize: "small" },
      scalars,
      tie("object"),
      fc.record({
        ...documented,
        type: fc.constant("array"),
        items: tie("node"),
        maxItems: optional(fc.integer({ min: 1, max: 3 })),
        minItems: rarely(fc.constant(1)),
        "x-kubernetes-list-type": optional(fc.constant("atomic")),
        "x-kubernetes-preserve-unknown-fields": rarely(fc.constant(true)),
      }),
      fc.record({
        ...documented,
        type: fc.constant("object"),
        additionalProperties: tie("node"),
        maxProperties: optional(fc.integer({ min: 1, max: 3 })),
        "x-kubernetes-preserve-unknown-fields": rarely(fc.constant(true)),
      }),
    ),
  }),
).object;
