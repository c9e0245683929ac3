import type { JSONObject } from "../../json/index.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SchemaNode } from "../index.ts";
import { changedOnlyTimes, type Endpoint, serverSideApply, trackUpdate } from "./index.ts";
import { customResourceSchema } from "../testdata/custom-resource-schema.ts";

const text: SchemaNode = { type: "string" };
const schema: SchemaNode = customResourceSchema({
  spec: {
    type: "object",
    properties: {
      replicas: { type: "integer" },
      items: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: text, value: text } },
      },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
});

const endpoint: Endpoint = { apiVersion: "a.io/v1", kind: "App", schemaOf: () => schema };
const time = Date.parse("2030-01-01T00:00:00Z");

const key = fc.constantFrom("a", "b", "c");
const optional = { requiredKeys: [] as never[], noNullPrototype: true };
/** Empty lists of items are left out: nobody owns them, so they are never removed (also on the API server). */
const fields = fc.record({
  metadata: fc.record(
    {
      labels: fc.dictionary(key, key, { noNullPrototype: true }),
      finalizers: fc.uniqueArray(key, { minLength: 1 }),
    },
    optional,
  ),
  spec: fc.record(
    {
      replicas: fc.constantFrom(1, 2),
      items: fc.uniqueArray(
        fc.record({ name: key, value: key }, { requiredKeys: ["name"], noNullPrototype: true }),
        { minLength: 1, selector: ({ name }) => name },
      ),
      free: fc.dictionary(key, fc.oneof(key, fc.array(key, { maxLength: 2 })), { noNullPrototype: true }),
    },
    optional,
  ),
});
const app = fields.map(({ metadata, spec }): JSONObject => ({
  apiVersion: "a.io/v1",
  kind: "App",
  metadata: { name: "it", ...metadata },
  spec,
}));

/** Applies with force, as a controller does. */
const apply = (live: JSONObject | undefined, applied: JSONObject, manager = "A") =>
  serverSideApply(endpoint, { live, applied, manager, force: true, time });

describe("serverSideApply()", () => {
  it("changes nothing when the same object is applied again", async () => {
    await fc.assert(
      fc.asyncProperty(app, app, async (before, applied) => {
        const live = await trackUpdate(endpoint, { live: undefined, next: before, manager: "U", time });
        const once = await apply(live, applied);
        const twice = await apply(once, applied);
        expect(changedOnlyTimes(once, twice)).toBe(true);
      }),
    );
  });

  it("sets all applied fields, whatever was applied before", async () => {
    await fc.assert(
      fc.asyncProperty(app, app, app, async (first, other, second) => {
        const stored = await apply(await apply(await apply(undefined, first), other, "B"), second);
        expect(stored).toMatchObject(statedBy(second));
      }),
    );
  });

  it("removes all applied fields when an empty object is applied", async () => {
    await fc.assert(
      fc.asyncProperty(app, async (applied) => {
        const { apiVersion, kind } = applied;
        const nothing = { apiVersion: apiVersion!, kind: kind!, metadata: { name: "it" } };
        expect(await apply(await apply(undefined, applied), nothing)).toEqual(nothing);
      }),
    );
  });
});

/** The scalars of an object: in lists, items of others may be in between. */
function statedBy(object: JSONObject): JSONObject {
  const { metadata, spec } = object as { metadata: JSONObject; spec: JSONObject };
  const { labels } = metadata;
  const { replicas, free } = spec;
  return {
    ...(labels ? { metadata: { labels } } : {}),
    ...(replicas || free ? { spec: { ...(replicas ? { replicas } : {}), ...(free ? { free } : {}) } } : {}),
  };
}
