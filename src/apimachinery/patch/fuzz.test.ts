import { isEqual, type JSONObject } from "../json/index.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "./apply/index.ts";
import { ApplyConflictError, SchemaMismatchError, serverSideApply, trackUpdate } from "./apply/index.ts";
import { applyJSONPatch, applyMergePatch, PatchError, parseJSONPatch, type SchemaNode } from "./index.ts";
import { applyStrategicMergePatch } from "./strategic/index.ts";

/** Words with a meaning to an engine or to JavaScript, and some without. */
const word = fc.constantFrom(
  "a",
  "name",
  "spec",
  "metadata",
  "managedFields",
  "list",
  "__proto__",
  "constructor",
  "toString",
  "$patch",
  "$retainKeys",
  "$setElementOrder/list",
  "$deleteFromPrimitiveList/list",
  "f:a",
  'k:{"name":"a"}',
  ".",
  "",
);
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e21, "", "a", "delete", "replace", "merge", "/a/-", "/list/0", "~"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(word, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(word, anything, {
  maxKeys: 5,
  noNullPrototype: true,
}) as fc.Arbitrary<JSONObject>;

const list: SchemaNode = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
  items: { type: "object", properties: { name: { type: "string" } } },
};
const schema: SchemaNode = {
  type: "object",
  properties: { list, spec: { type: "object", properties: { list } } },
};

/** Runs an engine and returns what went wrong. A PatchError is fine; any other error is a bug. */
async function damageOf(given: JSONObject, run: () => unknown): Promise<string[]> {
  const before = structuredClone(given);
  const damage: string[] = [];
  try {
    await run();
  } catch (error) {
    const refused = [PatchError, SchemaMismatchError, ApplyConflictError].some(
      (kind) => error instanceof kind,
    );
    if (!refused) damage.push(String(error instanceof Error ? error.stack : error));
  }
  if (!isEqual(given, before)) damage.push("the given object changed");
  if (Object.keys(Object.prototype).length > 0) damage.push("the prototype of all objects changed");
  return damage;
}

const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "spam", 1, null),
    path: fc.oneof(
      fc.constantFrom("", "/", "/a", "/a/b", "/list/-", "/list/-1", "/__proto__/x", "~2", 1, null),
      fc.string(),
    ),
    from: fc.constantFrom("", "/a", "/list", "/list/0", "/constructor/prototype", null),
    value: anything,
  },
  { requiredKeys: [], noNullPrototype: true },
);

describe("patch engines with random input", () => {
  it("reject or apply JSON patches", async () => {
    const body = fc.oneof(anything, fc.array(fc.oneof(operation, anything), { maxLength: 6 }));
    await fc.assert(
      fc.asyncProperty(object, body, async (given, patch) => {
        expect(await damageOf(given, () => applyJSONPatch(given, parseJSONPatch(patch)))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("reject or apply merge patches", async () => {
    await fc.assert(
      fc.asyncProperty(object, anything, async (given, patch) => {
        expect(await damageOf(given, () => applyMergePatch(given, patch as never))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("reject or apply strategic merge patches", async () => {
    await fc.assert(
      fc.asyncProperty(object, anything, async (given, patch) => {
        expect(await damageOf(given, () => applyStrategicMergePatch(given, patch as never, schema))).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["with a schema", schema],
    ["without one", undefined],
  ])("reject or execute applies and updates %s", async (_, node) => {
    const endpoint: Endpoint = { apiVersion: "v1", kind: "Any", schemaOf: () => node };
    const time = 0;
    await fc.assert(
      fc.asyncProperty(object, object, fc.boolean(), async (live, applied, force) => {
        const update = () => trackUpdate(endpoint, { live, next: applied, manager: "m", time });
        const apply = () => serverSideApply(endpoint, { live, applied, manager: "m", force, time });
        expect([...(await damageOf(live, update)), ...(await damageOf(live, apply))]).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
