import * as fc from "fast-check";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { generateCrds } from "../crd/generate-crds.ts";
import { toJson } from "../crd/to-json.ts";
import { ProjectSources } from "../project-sources.ts";
import { planTypes } from "./plan-types.ts";

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 });

const texts = fc.constantFrom(
  "Its value.",
  "Two\nlines.",
  "Mail @default to a@b.c.",
  "+optional",
  "a | b",
  "`x`",
);
const names = fc.constantFrom("a", "b", "c-d", "e.f", "namespace", "constructor", "__proto__", "1st", "it's");

/** What every node may have. */
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

const nodes: fc.Arbitrary<object> = fc.letrec<{ node: object; object: object }>((tie) => ({
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
})).object;

const roots = fc.record({
  description: rarely(texts),
  type: fc.constant("object"),
  required: fc.subarray(["metadata", "spec", "status"]),
  properties: fc.record({
    metadata: fc.constant({ type: "object" }),
    spec: nodes,
    status: nodes.map((node) => ({ ...node, default: undefined })),
  }),
});

function crdOf(schema: object): string {
  const names = { kind: "Box", plural: "boxes", singular: "box", listKind: "BoxList" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.example.com" },
    spec: { group: "example.com", names, scope: "Namespaced", versions: [version] },
  });
}

/** The schema without what no reader distinguishes: the order of names, and keys without a value. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== false);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, normal(item)]);
}

describe("types from a random schema", () => {
  it("give the same schema again, but for what is named as lost", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(roots, async (root) => {
        const schema = JSON.parse(JSON.stringify(root)) as JSONSchema;
        let plan;
        try {
          plan = await planTypes([{ name: "crd.yaml", text: crdOf(schema) }], "api");
        } catch (error) {
          if (error instanceof TsbuilderError) return;
          throw error;
        }
        const files = Object.fromEntries(plan.changes.map(({ path, content = "" }) => [path, content]));
        const sources = await ProjectSources.load(memoryTree(files));
        const [generated] = generateCrds(sources);
        const text = Object.values(files).join("\n");
        expect({ text, findings: sources.log.sorted().map(({ message }) => message) }).toEqual({
          text,
          findings: [],
        });
        const again = toJson(generated!.crd.spec.versions[0]!.schema.openAPIV3Schema);
        for (const part of ["spec", "status"] as const) {
          if (plan.lost.some((what) => what.includes(` .${part}`))) continue;
          compared++;
          expect([text, normal(again.properties?.[part])]).toEqual([text, normal(schema.properties?.[part])]);
        }
        const isLost = (name: string): boolean =>
          plan.lost.some((what) => what.endsWith(` .${name}: required`));
        expect(again.required ?? []).toEqual((schema.required ?? []).filter((name) => !isLost(name)));
      }),
    );
    expect(compared).toBeGreaterThan(0);
  });
});
