import { isEqual, isObject, type JSONObject } from "../../json/index.ts";
import { readFileSync } from "node:fs";
import type { ManagedFieldsEntry } from "../../meta/index.ts";
import { describe, expect, it } from "vitest";
import type { SchemaNode } from "../index.ts";
import type { Endpoint } from "./index.ts";
import { ApplyConflictError, SchemaMismatchError, serverSideApply, trackUpdate } from "./index.ts";

/**
 * Requests to objects whose `spec` has a given schema, with the results of Kubernetes' own structured merge: the field
 * manager of k8s.io/apimachinery 0.36.3 with structured-merge-diff 6.3.3. They cover every behavior that the tests of
 * those two distinguish, with data of our own.
 */
interface Story {
  family: string;
  name: string;
  /** A schema or its name, by version; if absent, types are inferred from the values. */
  schemas: Record<string, string | SchemaNode>;
  /** The names of the first version's fields in other versions. */
  renames?: Record<string, Record<string, string>>;
  /** The paths that a write through this endpoint can't change. */
  reset?: string[][];
  steps: (Request | SchemaChange)[];
}

interface Request {
  op: "apply" | "update";
  manager: string;
  force?: boolean;
  version?: string;
  subresource?: string;
  body: JSONObject;
  answer?: JSONObject;
  error?: { conflicts?: string[]; message?: string };
}

interface SchemaChange {
  op: "schema";
  schemas: Story["schemas"];
}

const facts = JSON.parse(
  readFileSync(new URL("../testdata/structured-facts.json", import.meta.url), "utf8"),
) as { schemas: Record<string, SchemaNode>; stories: Story[] };

/** Other cases in the tests of these libraries, and the reasons why they are not here. */
const leftOut = [
  "extracting an apply configuration from an object: done by clients",
  "invalid schemas: the CRD is rejected",
  "comparing scalars and building field sets as library calls: tested through their results",
  "duplicate items converted to another version: rejected there, kept here",
];

const requests = facts.stories.flatMap(({ steps }) => steps.filter(isRequest));
const families = new Set(facts.stories.map(({ family }) => family));
const title = `${requests.length} requests in ${facts.stories.length} stories`;

describe(`${title} have the results of Kubernetes' own library; left out: ${leftOut.join("; ")}`, () => {
  it.each([...families])("%s", async (family) => {
    const differences: unknown[] = [];
    for (const story of facts.stories.filter((one) => one.family === family)) {
      differences.push(...(await differencesIn(story)));
    }
    expect(differences).toEqual([]);
  });
});

async function differencesIn(story: Story): Promise<unknown[]> {
  const differences: unknown[] = [];
  let { schemas } = story;
  let live: JSONObject | undefined;
  for (const step of story.steps) {
    if (!isRequest(step)) {
      schemas = step.schemas;
      continue;
    }
    const endpoint = endpointOf(story, schemas, step);
    const next = await send(endpoint, live && inVersion(endpoint, live), step);
    const actual = next instanceof Error ? describeFailure(next) : summarize(next);
    const expected = step.error ? sortedLines(step.error) : step.answer;
    if (!isEqual(actual, expected)) {
      differences.push({ story: story.name, live, step, actual });
    }
    if (!step.error && !(next instanceof Error)) live = stored(next);
  }
  return differences;
}

async function send(
  endpoint: Endpoint,
  live: JSONObject | undefined,
  { op, manager, force = false, body }: Request,
): Promise<JSONObject | Error> {
  const time = Date.parse("2030-01-01T00:00:00Z");
  const { apiVersion, kind } = endpoint;
  const sent = { ...body, apiVersion, kind, metadata: { ...(body["metadata"] as JSONObject), name: "it" } };
  try {
    if (op === "apply") return await serverSideApply(endpoint, { live, applied: sent, manager, force, time });
    const kept = (live?.["metadata"] as JSONObject | undefined)?.["managedFields"];
    const metadata = { ...(kept === undefined ? {} : { managedFields: kept }), ...sent.metadata };
    const next = { ...sent, metadata: live ? { ...metadata, uid: "1" } : metadata };
    return await trackUpdate(endpoint, { live, next, manager, time });
  } catch (error) {
    if (error instanceof ApplyConflictError || error instanceof SchemaMismatchError) return error;
    throw error;
  }
}

const group = "facts.example.com";
const text: SchemaNode = { type: "string" };

function endpointOf(
  story: Story,
  schemas: Story["schemas"],
  { version = "v1", subresource }: Request,
): Endpoint {
  const known = new Map<string, SchemaNode>();
  for (const [name, schema] of Object.entries(schemas)) known.set(`${group}/${name}`, objectSchema(schema));
  return {
    apiVersion: `${group}/${version}`,
    kind: "Thing",
    subresource,
    resetFields: story.reset ?? [],
    schemaOf: (apiVersion) => known.get(apiVersion),
    convert: (object, apiVersion) =>
      known.has(apiVersion) ? converted(object, apiVersion, story.renames ?? {}) : undefined,
  };
}

function objectSchema(schema: string | SchemaNode): SchemaNode {
  const spec = typeof schema === "string" ? facts.schemas[schema]! : schema;
  const labels: SchemaNode = { type: "object", additionalProperties: text };
  const finalizers: SchemaNode = { type: "array", items: text, "x-kubernetes-list-type": "set" };
  const metadata: SchemaNode = { type: "object", properties: { name: text, uid: text, labels, finalizers } };
  return { type: "object", properties: { apiVersion: text, kind: text, metadata, spec, status: spec } };
}

function inVersion(endpoint: Endpoint, object: JSONObject): JSONObject {
  if (object["apiVersion"] === endpoint.apiVersion) return object;
  return endpoint.convert!(object, endpoint.apiVersion) as JSONObject;
}

function converted(
  object: JSONObject,
  apiVersion: string,
  renames: NonNullable<Story["renames"]>,
): JSONObject {
  const { spec } = object;
  if (!isObject(spec)) return { ...object, apiVersion };
  const namesOf = (version: unknown) => Object.entries(renames[String(version).split("/")[1]!] ?? {});
  const back = new Map(namesOf(object["apiVersion"]).map(([first, there]) => [there, first]));
  const forth = new Map(namesOf(apiVersion));
  const renamed = Object.entries(spec).map(([name, value]) => {
    const first = back.get(name) ?? name;
    return [forth.get(first) ?? first, value] as const;
  });
  return { ...object, apiVersion, spec: Object.fromEntries(renamed) };
}

function stored(object: JSONObject): JSONObject {
  return { ...object, metadata: { ...(object["metadata"] as JSONObject), uid: "1" } };
}

function summarize(object: JSONObject): JSONObject {
  const { labels, finalizers, managedFields } = object["metadata"] as {
    labels?: JSONObject;
    finalizers?: string[];
    managedFields?: ManagedFieldsEntry[];
  };
  const managers = (managedFields ?? []).map(({ operation, manager, apiVersion, subresource, fieldsV1 }) => [
    operation!,
    manager!,
    (apiVersion ?? "").slice(group.length + 1),
    subresource ?? "",
    fieldsV1!,
  ]);
  managers.sort((a, b) => (JSON.stringify(a.slice(0, 4)) < JSON.stringify(b.slice(0, 4)) ? -1 : 1));
  return {
    managers,
    ...("spec" in object && { spec: object["spec"]! }),
    ...("status" in object && { status: object["status"]! }),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(finalizers && finalizers.length > 0 && { finalizers }),
  };
}

function describeFailure(error: Error): NonNullable<Request["error"]> {
  if (!(error instanceof ApplyConflictError)) return sortedLines({ message: error.message });
  const conflicts = error.causes.map(
    ({ message, field }) => `${message.replace("conflict with ", "")}: ${field}`,
  );
  return { conflicts: conflicts.sort() };
}

/** Several errors are in the order of a Go map, which is random. */
function sortedLines(error: NonNullable<Request["error"]>): NonNullable<Request["error"]> {
  if (error.message === undefined) return error;
  return { message: error.message.split("\n").toSorted().join("\n") };
}

function isRequest(step: Request | SchemaChange): step is Request {
  return step.op !== "schema";
}
