import type { ApiObject } from "../contract/api-object.ts";

import { findKind } from "./find-kind.ts";

type Reader = (object: ApiObject) => string;

/** Readers for the field selectors of a built-in kind; most are plain paths. */
export function fieldSelectorReaders(
  resource: { group: string; plural: string; kind: string },
  fields: readonly string[],
): ReadonlyMap<string, Reader> | undefined {
  if (fields.length === 0) return undefined;
  const own = findKind(resource)?.selectors;
  return new Map(
    fields.map((field) => [field, own?.[field] ?? special[`${resource.kind} ${field}`] ?? pathReader(field)]),
  );
}

/** Selectors whose name is not the path, or whose absence has a value of its own. */
const special: Readonly<Record<string, Reader>> = {
  "Event source": (object) => {
    const source = read(object, ["source", "component"]);
    return source === "" ? read(object, ["reportingComponent"]) : source;
  },
  "Pod spec.hostNetwork": (object) => read(object, ["spec", "hostNetwork"]) || "false",
  "Pod status.podIPs": (object) => {
    const status = object["status"] as { podIPs?: Array<{ ip: string }> } | undefined;
    return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
  },
  "Node spec.unschedulable": (object) => read(object, ["spec", "unschedulable"]) || "false",
  "Job status.successful": (object) => read(object, ["status", "succeeded"]) || "0",
  "ReplicaSet status.replicas": (object) => read(object, ["status", "replicas"]) || "0",
  "ReplicationController status.replicas": (object) => read(object, ["status", "replicas"]) || "0",
};

function pathReader(field: string): Reader {
  const path = field.split(".");
  return (object) => read(object, path);
}

function read(object: ApiObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const field of path) value = (value as Record<string, unknown> | undefined)?.[field];
  return typeof value === "string"
    ? value
    : value === undefined || value === null
      ? ""
      : JSON.stringify(value);
}
