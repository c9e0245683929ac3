import * as fc from "fast-check";
import type { Schema } from "./schema.ts";

/** A CRD of one kind, valid by the way it is made, and the schema of its objects. */
export interface CustomKind {
  readonly crd: { readonly metadata: { readonly name: string } };
  readonly versions: readonly string[];
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly schema: Schema;
}

type Node = Readonly<Record<string, unknown>>;

const texts: fc.Arbitrary<Node> = fc.constantFrom<Node>(
  {},
  { maxLength: 5 },
  { minLength: 2, maxLength: 8 },
  { pattern: "^[a-z]*$" },
  { enum: ["x", "", "Bogus"] },
  { format: "date-time" },
  { format: "ipv4" },
  { format: "byte" },
  { format: "duration" },
  { format: "uuid" },
  { default: "x" },
  { nullable: true },
  { nullable: true, default: "x" },
  { maxLength: 10, "x-kubernetes-validations": [{ rule: "self != 'x'", message: "must not be x" }] },
  { maxLength: 10, "x-kubernetes-validations": [{ rule: "self == oldSelf", reason: "FieldValueForbidden" }] },
  { maxLength: 10, "x-kubernetes-validations": [{ rule: "self.startsWith('a') || self.size() < 2" }] },
);

const numbers: fc.Arbitrary<Node> = fc.constantFrom<Node>(
  {},
  { minimum: 0 },
  { maximum: 10, exclusiveMaximum: true },
  { multipleOf: 2 },
  { format: "int32" },
  { format: "int64" },
  { default: 1 },
  { enum: [0, 1, 80] },
  { "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] },
);

/** A structural schema. */
function nodes(depth: number): fc.Arbitrary<Node> {
  const scalars = [
    texts.map((rules) => ({ type: "string", ...rules })),
    numbers.map((rules) => ({ type: "integer", ...rules })),
    fc.constantFrom<Node>(
      { type: "boolean" },
      { type: "boolean", default: false },
      { type: "number", minimum: 0.5 },
    ),
    fc.constant<Node>({ "x-kubernetes-int-or-string": true }),
  ];
  if (depth === 0) return fc.oneof(...scalars);
  const child = nodes(depth - 1);
  return fc.oneof(
    ...scalars,
    objects(child),
    child.map((additionalProperties) => ({ type: "object", additionalProperties })),
    fc.constant<Node>({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    fc.constant<Node>({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    }),
    fc
      .tuple(child, fc.constantFrom<Node>({}, { maxItems: 1 }, { minItems: 1 }, { nullable: true }))
      .map(([items, rules]) => ({ type: "array", items, ...rules })),
    fc.constantFrom<Node>(
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
      { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "string" } },
    ),
    child.map((value) => ({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "string" }, value } },
    })),
  );
}

function objects(child: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom("a", "b", "name", "port", "labels"), { minLength: 1, maxLength: 4 }),
      fc.array(child, { minLength: 4, maxLength: 4 }),
      fc.nat(7),
    )
    .map(([names, children, choice]) => ({
      type: "object",
      properties: Object.fromEntries(names.map((name, index) => [name, children[index]])),
      ...(choice === 0 && { required: [names[0]] }),
      // A default must fit the schema.
      ...(choice === 1 && { default: {} }),
    }));
}

/** Random CRDs; `{group}` stands for the API group of the story. */
export const customKinds: fc.Arbitrary<CustomKind> = fc
  .record({
    spec: objects(nodes(2)),
    status: fc.option(objects(nodes(1)), { nil: undefined }),
    hasScale: fc.boolean(),
    hasTwoVersions: fc.boolean(),
    columns: fc.subarray([
      { name: "A", type: "string", jsonPath: ".spec.a" },
      { name: "B", type: "integer", jsonPath: ".spec.b", priority: 1 },
      { name: "Port", type: "date", jsonPath: ".spec.port" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ]),
  })
  .map(({ spec, status, hasScale, hasTwoVersions, columns }) => {
    const withReplicas = hasScale
      ? { ...spec, properties: { ...(spec["properties"] as object), replicas: { type: "integer" } } }
      : spec;
    const schema = { type: "object", properties: { spec: withReplicas, ...(status && { status }) } };
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const version = {
      served: true,
      schema: { openAPIV3Schema: schema },
      ...(columns.length > 0 && { additionalPrinterColumns: columns }),
      ...((status || hasScale) && {
        subresources: { ...(status && { status: {} }), ...(hasScale && { scale }) },
      }),
    };
    const versions = hasTwoVersions ? ["v1", "v2"] : ["v1"];
    return {
      crd: {
        metadata: { name: "foos.{group}" },
        spec: {
          group: "{group}",
          scope: "Namespaced",
          names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
          versions: versions.map((name, index) => ({ name, storage: index === 0, ...version })),
        },
      },
      versions,
      hasStatus: status !== undefined,
      hasScale,
      schema,
    };
  });
