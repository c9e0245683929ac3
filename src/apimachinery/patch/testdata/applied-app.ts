import type { JSONObject } from "../../json/index.ts";
import type { ManagedFieldsEntry } from "../../meta/index.ts";
import { type Apply, ApplyConflictError, type Endpoint, serverSideApply, trackUpdate } from "../apply/index.ts";
import type { SchemaNode } from "../index.ts";
import { customResourceSchema } from "./custom-resource-schema.ts";

const text: SchemaNode = { type: "string" };
export const texts: SchemaNode = { type: "object", additionalProperties: text };
const port: SchemaNode = {
  type: "object",
  properties: { containerPort: { type: "integer" }, protocol: { ...text, default: "TCP" }, name: text },
};
const container: SchemaNode = {
  type: "object",
  properties: {
    name: text,
    image: text,
    args: { type: "array", items: text },
    ports: {
      type: "array",
      items: port,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    },
  },
};
export const schema: SchemaNode = customResourceSchema({
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        selector: { ...texts, "x-kubernetes-map-type": "atomic" },
        containers: {
          type: "array",
          items: container,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "integer" } } },
});

export const main: Endpoint = {
  apiVersion: "a.io/v1",
  kind: "App",
  resetFields: [["status"]],
  schemaOf: () => schema,
};
export const status: Endpoint = { ...main, subresource: "status", resetFields: [["spec"], ["metadata"]] };

/** The object as stored on the server; undefined before it is created. */
export let live: JSONObject | undefined;
let seconds = 0;

/** Resets the object and the time before each test. */
export function beginAnew(): void {
  live = undefined;
  seconds = 0;
}

export const now = () => Date.UTC(2030, 0, 1, 0, 0, seconds++);
export const app = (fields: JSONObject): JSONObject => ({
  apiVersion: "a.io/v1",
  kind: "App",
  metadata: { name: "it" },
  ...fields,
});

export async function apply(
  manager: string,
  fields: JSONObject,
  options: Partial<Apply> & { endpoint?: Endpoint } = {},
) {
  const { endpoint = main, ...more } = options;
  const applied = app(fields);
  const next = await serverSideApply(endpoint, {
    live,
    applied,
    manager,
    force: false,
    time: now(),
    ...more,
  });
  live = withUid(next);
  return next;
}

export async function update(manager: string, fields: JSONObject, endpoint = main) {
  const { metadata } = (live ?? app({})) as { metadata: JSONObject };
  const next = {
    ...app(fields),
    metadata: { ...metadata, ...(fields["metadata"] as JSONObject | undefined) },
  };
  live = withUid(await trackUpdate(endpoint, { live, next, manager, time: now() }));
}

/** Replaces or removes the stored object. */
export function store(object: JSONObject | undefined): void {
  live = object && withUid(object);
}

const withUid = (object: JSONObject): JSONObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JSONObject), uid: "1" },
});
export const managers = () =>
  ((live!["metadata"] as JSONObject)["managedFields"] ?? []) as unknown as ManagedFieldsEntry[];
export const fieldsOf = (manager: string) => managers().find((entry) => entry.manager === manager)?.fieldsV1;

export async function conflictOf(run: Promise<unknown>): Promise<ApplyConflictError> {
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  if (error instanceof ApplyConflictError) return error;
  throw new Error("expected a conflict");
}
