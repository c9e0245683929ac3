import { compareText } from "../../text/index.ts";
import { isEqual, type JSONObject } from "../../json/index.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applyMergePatch, type SchemaNode } from "../index.ts";
import { ApplyConflictError, type Endpoint, serverSideApply, trackUpdate } from "./index.ts";
import { customResourceSchema } from "../testdata/custom-resource-schema.ts";

/** A request to a custom resource, and its result on kube-apiserver 1.36.3. */
interface Step {
  op: "apply" | "put" | "merge";
  manager: string;
  force?: boolean;
  body: { metadata?: JSONObject; spec?: JSONObject };
  answer?: { labels?: JSONObject; finalizers?: string[]; spec?: JSONObject; managers: unknown[] };
  error?: { message?: string; count?: string; causes?: string[] };
}

/** Random sequences of requests; each starts without an object. */
const stories = JSON.parse(
  readFileSync(new URL("../testdata/recorded-applies.json", import.meta.url), "utf8"),
) as Step[][];

const text: SchemaNode = { type: "string" };
const texts: SchemaNode = { type: "object", additionalProperties: text };
const schema: SchemaNode = customResourceSchema({
  spec: {
    type: "object",
    properties: {
      a: text,
      n: { type: "integer" },
      m: texts,
      s: { type: "object", properties: { x: text, y: text } },
      set: { type: "array", "x-kubernetes-list-type": "set", items: text },
      map: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: text, v: text } },
      },
      at: { type: "array", items: text },
      atm: { ...texts, "x-kubernetes-map-type": "atomic" },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      ios: { "x-kubernetes-int-or-string": true },
    },
  },
});

const endpoint: Endpoint = {
  apiVersion: "patch.example.com/v1",
  kind: "Thing",
  resetFields: [["status"]],
  schemaOf: () => schema,
};

const count = stories.flat().length;

describe(`${count} recorded requests in ${stories.length} stories`, () => {
  it("have the same objects, managers and conflicts as on the API server", async () => {
    const differences: unknown[] = [];
    for (const story of stories) {
      let live: JSONObject | undefined;
      for (const step of story) {
        const next = await send(live, step);
        const actual = step.error ? describeFailure(next) : summarize(next);
        if (!isEqual(actual, step.error ?? step.answer)) differences.push({ live, step, actual });
        if (!step.error && !(next instanceof Error)) live = stored(next);
      }
    }
    expect(differences).toEqual([]);
  });
});

async function send(live: JSONObject | undefined, step: Step): Promise<JSONObject | Error> {
  const { manager, body, force = false } = step;
  const time = Date.parse("2030-01-01T00:00:00Z");
  const identity = { apiVersion: "patch.example.com/v1", kind: "Thing" };
  const sent: JSONObject = {
    ...identity,
    ...(body as JSONObject),
    metadata: { name: "it", ...body.metadata },
  };
  try {
    if (step.op === "apply")
      return await serverSideApply(endpoint, { live, applied: sent, manager, force, time });
    const next = step.op === "merge" ? applyMergePatch(live!, body) : sent;
    return await trackUpdate(endpoint, { live, next: stored(next), manager, time });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Does what the server does with metadata: drops empty maps and lists, and adds a uid. */
function stored(object: JSONObject): JSONObject {
  const metadata = Object.entries({ ...(object["metadata"] as JSONObject), uid: "1" }).filter(
    ([key, value]) => key === "managedFields" || !isEmpty(value),
  );
  return { ...object, metadata: Object.fromEntries(metadata) };
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function summarize(object: JSONObject | Error): Step["answer"] | Error {
  if (object instanceof Error) return object;
  const { labels, finalizers, managedFields } = stored(object)["metadata"] as {
    labels?: JSONObject;
    finalizers?: string[];
    managedFields?: { operation: string; manager: string; fieldsV1: JSONObject }[];
  };
  const managers = (managedFields ?? [])
    .map(({ operation, manager, fieldsV1 }) => [operation, manager, fieldsV1])
    .sort((a, b) => (JSON.stringify(a.slice(0, 2)) < JSON.stringify(b.slice(0, 2)) ? -1 : 1));
  return {
    ...(labels ? { labels } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(object["spec"] ? { spec: object["spec"] as JSONObject } : {}),
    managers,
  };
}

/** Validation rejects nulls of fields that are not nullable after the merge. */
function describeFailure(result: JSONObject | Error): Step["error"] {
  if (result instanceof ApplyConflictError) {
    const causes = result.causes
      .map(({ message, field }) => `${message}: ${field}`)
      .sort((a, b) => compareText(a, b));
    return { causes, count: result.message.split(":")[0]! };
  }
  if (result instanceof Error) return { message: result.message };
  return JSON.stringify(result).includes("null") ? { message: "invalid" } : { message: "accepted" };
}
