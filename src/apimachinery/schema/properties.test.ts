import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema, type JSONSchema } from "./index.ts";

/** Schemas of all shapes, with few names, so that objects often match. */
const names = fc.constantFrom("a", "b", "kind", "metadata", "constructor", "__proto__", "x.y");
const schemas: fc.Arbitrary<JSONSchema> = fc.letrec<{ node: JSONSchema }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.record(
      { type: fc.constant("string"), default: fc.string(), maxLength: fc.nat(5) },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("integer"), default: fc.nat(), nullable: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.record({ "x-kubernetes-int-or-string": fc.constant(true) }),
    fc.record({ type: fc.constant("array"), items: tie("node") }),
    fc.record({ type: fc.constant("object"), additionalProperties: fc.oneof(tie("node"), fc.boolean()) }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(names, tie("node"), { maxKeys: 4 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        default: fc.constant({}),
        "x-kubernetes-preserve-unknown-fields": fc.constant(true),
      },
      { requiredKeys: ["type", "properties"] },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(names, tie("node"), { maxKeys: 4 }),
        nullable: fc.boolean(),
        "x-kubernetes-preserve-unknown-fields": fc.boolean(),
        "x-kubernetes-embedded-resource": fc.constant(true),
      },
      { requiredKeys: ["type", "properties", "x-kubernetes-embedded-resource"] },
    ),
  ),
})).node;

const scalars = fc.constantFrom<unknown>(null, true, 0, 1.5, -3, "", "text");

/** Valid and invalid metadata: wrong types, nulls, empty lists. */
const metadata = fc.oneof(
  fc.constantFrom<unknown>(null, {}, [], "text"),
  fc.record(
    {
      name: scalars,
      generation: scalars,
      deletionGracePeriodSeconds: scalars,
      creationTimestamp: fc.constantFrom(null, "2026-01-01T00:00:00Z", "soon"),
      labels: fc.oneof(scalars, fc.dictionary(fc.constantFrom("a", "b"), scalars, { maxKeys: 2 })),
      finalizers: fc.oneof(scalars, fc.array(scalars, { maxLength: 2 })),
      ownerReferences: fc.array(
        fc.oneof(scalars, fc.record({ name: scalars, controller: scalars }, { requiredKeys: [] })),
        { maxLength: 2 },
      ),
      managedFields: fc.array(fc.record({ time: scalars, fieldsV1: fc.constantFrom(null, {}, { a: {} }) }), {
        maxLength: 2,
      }),
      unknown: scalars,
    },
    { requiredKeys: [] },
  ),
);

const objects: fc.Arbitrary<object> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalars,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(names, tie("value"), { maxKeys: 4 }),
      fc.record(
        {
          apiVersion: fc.constantFrom<unknown>("v1", "v1", "", null, 1),
          kind: fc.constantFrom<unknown>("X", "X", null),
          metadata,
          a: tie("value"),
          b: tie("value"),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  .value.map((value) => JSON.parse(JSON.stringify({ apiVersion: "v1", kind: "X", spec: value })) as object);

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

const given = { numRuns: 500 };

/** Removes members that decoding may add or omit: null, and empty strings, lists and maps. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value || null;
  const items = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
  const told = items.filter(([, item]) => item !== null);
  return told.length > 0 ? told : null;
}

const roots = schemas.map((spec): JSONSchema => ({ type: "object", properties: { spec } }));

describe("compileSchema()", () => {
  it("prunes idempotently, and reports nothing the second time", () => {
    fc.assert(
      fc.property(roots, objects, (schema, object) => {
        const compiled = compileSchema(schema);
        const once = compiled.prune(freeze(object));
        const twice = compiled.prune(once.object);
        expect(twice.object).toBe(once.object);
        expect(twice.unknown).toEqual([]);
        // Members that were dropped without a report were empty; an object that is returned unchanged had no unknown fields.
        const isAsSaid = isDeepStrictEqual(withoutEmpty(once.object), withoutEmpty(object));
        expect({ isAsSaid: once.unknown.length > 0 || isAsSaid }).toEqual({ isAsSaid: true });
        expect(once.object === object && once.unknown.length > 0).toBe(false);
      }),
      given,
    );
  });

  it("applies defaults idempotently, and doesn't modify its argument", () => {
    fc.assert(
      fc.property(roots, objects, (schema, object) => {
        const compiled = compileSchema(freeze(schema));
        const before = JSON.stringify(object);
        const once = compiled.applyDefaults(freeze(object));
        expect(JSON.stringify(object)).toBe(before);
        expect(compiled.applyDefaults(once)).toEqual(once);
      }),
      given,
    );
  });

  it("never throws, and accepts an unchanged object unless it has fields that are not in the schema", () => {
    fc.assert(
      fc.property(roots, objects, (schema, object) => {
        const compiled = compileSchema(schema);
        const errors = compiled.validate(object);
        expect(compiled.validate(object, { old: object }).length).toBeLessThanOrEqual(errors.length);
      }),
      given,
    );
  });

  it("matches a pattern that would hang a backtracking engine in linear time", () => {
    const compiled = compileSchema({ type: "string", pattern: "^(a+)+$" });
    const errors = compiled.validate(`${"a".repeat(5000)}!`);
    expect(errors.map(({ reason }) => reason)).toEqual(["FieldValueInvalid"]);
  });

  it("shares unchanged subtrees", () => {
    const compiled = compileSchema({
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: { type: "string", default: "x" },
            b: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    });
    const object = { spec: { b: { c: 1 }, gone: 1 } };
    const { object: pruned, unknown } = compiled.prune(object);
    expect(unknown).toEqual(["spec.gone"]);
    const defaulted = compiled.applyDefaults(pruned) as { spec: { a?: string; b: object } };
    expect(defaulted).toEqual({ spec: { a: "x", b: { c: 1 } } });
    expect(defaulted.spec.b).toBe(object.spec.b);
  });

  it("gives every object its own copy of a default", () => {
    const compiled = compileSchema({
      type: "object",
      properties: { list: { type: "array", items: { type: "string" }, default: ["a"] } },
    });
    const first = compiled.applyDefaults({}) as { list: string[] };
    first.list.push("b");
    expect(compiled.applyDefaults({})).toEqual({ list: ["a"] });
  });

  it("accepts a cyclic schema, as built-in kinds have", () => {
    const node: { type: string; properties: Record<string, JSONSchema> } = {
      type: "object",
      properties: { name: { type: "string" } },
    };
    node.properties["child"] = node;
    const compiled = compileSchema(node);
    expect(compiled.prune({ child: { child: { name: "x", gone: 1 } } }).unknown).toEqual([
      "child.child.gone",
    ]);
    expect(compiled.validate({ child: { child: { name: 1 } } }).map(({ field }) => field)).toEqual([
      "child.child.name",
    ]);
  });

  it("prefixes the path to fields, not to messages", () => {
    const compiled = compileSchema({
      type: "object",
      properties: { phase: { type: "string", enum: ["A"] }, n: { type: "integer" } },
    });
    expect(
      compiled
        .validate({ phase: "B", n: "x" }, { path: "status" })
        .map(({ field, body }) => `${field}: ${body}`),
    ).toEqual([
      'status.phase: Unsupported value: "B": supported values: "A"',
      'status.n: Invalid value: "string": n in body must be of type integer: "string"',
    ]);
  });
});
