import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { type Endpoint, inVersion } from "./endpoint.ts";
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import { fieldsOf, withStructs } from "./fields-of.ts";
import type { FieldManager, Managers } from "./managers.ts";
import { removeFields } from "./remove-fields.ts";

/**
 * Removes fields that an applier applied last time but not this time, unless another manager owns them.
 * Of a removed item or map, fields that others own stay.
 */
export async function pruneDropped(
  endpoint: Endpoint,
  merged: JSONObject,
  managers: Managers,
  stated: FieldManager,
  last: FieldManager | undefined,
): Promise<JSONObject> {
  if (!last) return merged;
  const isOneVersion = [last, ...managers.values()].every(
    ({ apiVersion }) => apiVersion === stated.apiVersion,
  );
  if (isOneVersion && isEmptySet(difference(last.fields, stated.fields))) return merged;
  const whole = await inVersion(
    merged,
    last.apiVersion,
    endpoint,
    "failed to prune fields: failed to convert merged object to last applied version",
  );
  if (!whole) return merged;

  const schema = endpoint.schemaOf(last.apiVersion);
  let pruned: JSONValue = removeFields(whole, withStructs(last.fields, schema), schema);
  for (const [apiVersion, owned] of ownedByVersion(managers, last.apiVersion)) {
    pruned = await restoreOwned(endpoint, merged, pruned, apiVersion, owned, last.apiVersion);
  }
  pruned = restoreDangling(whole, pruned, last.fields, schema);
  return (await inVersion(asObject(pruned), endpoint.apiVersion, endpoint)) ?? merged;
}

/** All owned fields, by version; the version of the object comes first, because it needs no conversion. */
function ownedByVersion(managers: Managers, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, emptySet]]);
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? emptySet, fields));
  }
  return owned;
}

/** Restores removed fields that somebody owns. */
async function restoreOwned(
  endpoint: Endpoint,
  merged: JSONObject,
  pruned: JSONValue,
  apiVersion: string,
  owned: FieldSet,
  prunedVersion: string,
): Promise<JSONValue> {
  const failure = (which: string): string =>
    `failed to prune fields: failed add back owned items: failed to convert ${which} object at version ${apiVersion}`;
  const whole = await inVersion(merged, apiVersion, endpoint, failure("merged"));
  const rest = await inVersion(asObject(pruned), apiVersion, endpoint, failure("pruned"));
  if (!whole || !rest) return pruned;
  const schema = endpoint.schemaOf(apiVersion);
  const kept = union(structFields(rest, schema), withStructs(owned, schema));
  const restored = removeFields(whole, difference(structFields(whole, schema), kept), schema);
  return (await inVersion(asObject(restored), prunedVersion, endpoint)) ?? pruned;
}

/** Restores fields that were removed only because their parent was: the applier never applied them. */
function restoreDangling(
  whole: JSONObject,
  pruned: JSONValue,
  last: FieldSet,
  schema: SchemaNode | undefined,
): JSONValue {
  const removed = difference(structFields(whole, schema), structFields(pruned, schema));
  return removeFields(whole, intersection(removed, withStructs(last, schema)), schema);
}

function structFields(value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  return withStructs(fieldsOf(value, schema), schema);
}

function asObject(value: JSONValue): JSONObject {
  return isObject(value) ? value : {};
}
