import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JSONObject, JSONValue } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import type { Endpoint } from "./endpoint.ts";
import { trackUpdate } from "./track-update.ts";

const item: SchemaNode = { type: "object", properties: { name: { type: "string" }, port: {} } };
const schema: SchemaNode = {
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    struct: { type: "object", properties: { a: {}, "a:1": {} } },
    whole: { type: "object", "x-kubernetes-map-type": "atomic" },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: item,
    },
    set: { type: "array", "x-kubernetes-list-type": "set", items: {} },
    map: { type: "object", additionalProperties: { type: "object", "x-kubernetes-map-type": "atomic" } },
  },
};

/** The endpoint with a schema in which nothing is remembered, unless one is given. */
function endpointOf(resetFields: string[][], node = structuredClone(schema)): Endpoint {
  return { apiVersion: "example.com/v1", kind: "Thing", resetFields, schemaOf: () => node };
}

/** Names that look like what stands between names. */
const name = fc.constantFrom("a", "1", "a:1", "1:a", "{", "};", ";", "[", "name", "ä");
const leaf = fc.constantFrom<JSONValue>("x", "", 1, true, null, [], {}, ["x"]);
const members = (value: fc.Arbitrary<JSONValue>) => fc.dictionary(name, value, { maxKeys: 3 });
const inner = fc.oneof(leaf, members(fc.oneof(leaf, members(leaf))));
const content = fc.record(
  {
    metadata: fc.record({ name: fc.constant("n"), labels: members(leaf), uid: leaf }, { requiredKeys: [] }),
    struct: inner,
    whole: inner,
    items: fc.oneof(
      leaf,
      fc.array(fc.record({ name: leaf, port: inner }, { requiredKeys: [] }), { maxLength: 3 }),
    ),
    set: fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })),
    map: fc.oneof(leaf, members(inner)),
    other: inner,
  },
  { requiredKeys: [] },
);

test("what is remembered of created objects is what each of them sets", async () => {
  const reset = [["struct"], ["map", "a"]];
  const remembering = endpointOf(reset, schema);
  const track = async (endpoint: Endpoint, next: JSONObject) =>
    trackUpdate(endpoint, { live: undefined, next, manager: "m", time: 0 });
  const created = content.map((fields) => ({ apiVersion: "example.com/v1", kind: "Thing", ...fields }));
  await fc.assert(
    fc.asyncProperty(created, async (object) => {
      const next = object as JSONObject;
      const tracked = await track(remembering, next);
      expect(tracked).toEqual(await track(endpointOf(reset), next));
      expect(await track(remembering, structuredClone(next))).toEqual(tracked);
    }),
    { numRuns: 2000 },
  );
});

test("a name that looks like several members is not taken for them", async () => {
  const endpoint = endpointOf([]);
  const fieldsOf = async (other: JSONObject) => {
    const next = { apiVersion: "example.com/v1", kind: "Thing", other };
    const { metadata } = await trackUpdate(endpoint, { live: undefined, next, manager: "m", time: 0 });
    return (metadata as { managedFields: { fieldsV1: object }[] }).managedFields[0]!.fieldsV1;
  };
  expect(await fieldsOf({ a: 1, b: 1 })).toEqual({ "f:other": { ".": {}, "f:a": {}, "f:b": {} } });
  expect(await fieldsOf({ "a;b": 1 })).toEqual({ "f:other": { ".": {}, "f:a;b": {} } });
});

test("objects with the same members share the encoded fields, whatever their values are", async () => {
  const endpoint = endpointOf([]);
  const [first, second] = await Promise.all(
    [1, 2].map(async (value) => {
      const next = { apiVersion: "example.com/v1", kind: "Thing", struct: { a: value } };
      const { metadata } = await trackUpdate(endpoint, { live: undefined, next, manager: "m", time: value });
      return (metadata as { managedFields: { fieldsV1: object }[] }).managedFields[0]!.fieldsV1;
    }),
  );
  expect(second).toEqual({ "f:struct": { ".": {}, "f:a": {} } });
  expect(second).toBe(first);
});
