import { isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { compareFields } from "./compare.ts";
import type { Endpoint } from "./endpoint.ts";
import { difference, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";

/** Where client-side `kubectl apply` keeps what it sent the last time. */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Leaves out of conflicts what kubectl itself set by a client-side apply and nobody changed since: so that
 * people can move to server-side apply without a conflict with themselves.
 */
export function conflictsBeyondLastApplied(
  endpoint: Endpoint,
  live: JSONObject,
  conflicts: ReadonlyMap<string, FieldSet>,
): ReadonlyMap<string, FieldSet> {
  const allowed = lastAppliedFields(endpoint, live);
  if (!allowed) return conflicts;
  return new Map(
    [...conflicts]
      .map(([key, fields]) => [key, difference(fields, allowed)] as const)
      .filter(([, fields]) => !isEmptySet(fields)),
  );
}

/** Keeps the annotation in step with what kubectl applies on the server, where an object has it. */
export function refreshLastApplied(object: JSONObject, applied: JSONObject): JSONObject {
  const { metadata, annotations } = annotationsOf(object);
  if (!Object.hasOwn(annotations, lastAppliedAnnotation)) return object;
  const stated = annotationsOf(applied);
  const { [lastAppliedAnnotation]: _, ...kept } = stated.annotations;
  const value = JSON.stringify({
    ...applied,
    metadata: { ...stated.metadata, ...(stated.metadata["annotations"] ? { annotations: kept } : {}) },
  });
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: `${value}\n` } },
  };
}

/** The fields of the last client-side apply that still have the value they got from it. */
function lastAppliedFields(endpoint: Endpoint, live: JSONObject): FieldSet | undefined {
  const lastApplied = parseObject(annotationsOf(live).annotations[lastAppliedAnnotation]);
  if (lastApplied?.["apiVersion"] !== endpoint.apiVersion) return undefined;
  const schema = endpoint.schemaOf(endpoint.apiVersion);
  const { added, modified, removed } = compareFields(lastApplied, live, schema);
  return difference(fieldsOf(lastApplied, schema), union(union(added, modified), removed));
}

function annotationsOf(object: JSONObject): { metadata: JSONObject; annotations: JSONObject } {
  const metadata = memberOf(object, "metadata");
  const annotations = isObject(metadata) ? memberOf(metadata, "annotations") : undefined;
  return {
    metadata: isObject(metadata) ? metadata : {},
    annotations: isObject(annotations) ? annotations : {},
  };
}

function parseObject(text: unknown): JSONObject | undefined {
  try {
    const value = typeof text === "string" ? (JSON.parse(text) as JSONValue) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
