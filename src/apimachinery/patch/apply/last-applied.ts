import { isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { compareFields } from "./compare.ts";
import type { Endpoint } from "./endpoint.ts";
import { difference, type FieldSet, isEmptySet, union } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";

/** The annotation in which client-side `kubectl apply` stores the applied object. */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Ignores conflicts about fields that kubectl set in a client-side apply and nobody changed since, so that users can
 * migrate to server-side apply without conflicts with themselves.
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

/** Updates the annotation, if an object has it, when kubectl uses server-side apply. */
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

/** The fields that still have the value of the last client-side apply. */
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
