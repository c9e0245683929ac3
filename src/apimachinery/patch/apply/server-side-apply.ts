import { type JSONObject, type JSONValue, isEqual, isObject, memberOf, setMember } from "../../json/index.ts";
import { formatTime } from "../../time/index.ts";
import { PatchError } from "../patch-error.ts";
import { ApplyConflictError } from "./apply-conflict.ts";
import { checkApplied, checkLive } from "./check-applied.ts";
import { type Endpoint, convertToVersion, withoutResetFields } from "./endpoint.ts";
import {
  type FieldSet,
  childOf,
  difference,
  emptySet,
  fieldElement,
  fieldNameOf,
  fieldSet,
  intersection,
  isEmptySet,
  isEqualSet,
  ownedLeaf,
  union,
} from "./field-set.ts";
import type { FieldManager, Managers } from "./managers.ts";
import { hasManagers, managerKey, managersOf, withFields, withManagers } from "./managers.ts";
import { mergeValues } from "./merge.ts";
import {
  fitManagers,
  newObjectOf,
  recordUpdate,
  settleOwnership,
  withoutServerFields,
} from "./track-update.ts";
import { compareFields } from "./compare.ts";
import { type SchemaNode, isDeclared, memberSchema } from "../schema-node.ts";
import { groupItems, itemElement, shapeOf } from "./shape.ts";

/** A server-side apply request. Each one has all fields that the manager wants to own. */
export interface Apply {
  /** The stored object in the endpoint's version; undefined for a create. */
  readonly live: JSONObject | undefined;
  /** The request's body. */
  readonly applied: JSONObject;
  /** The `fieldManager` of the request. */
  readonly manager: string;
  /** Take fields from other managers instead of failing with a conflict. */
  readonly force: boolean;
  readonly time: number;
}

/**
 * Returns the object to store, before defaulting, with its `managedFields`.
 * Applied fields are set, and owned by the manager (shared with others that applied the same value); fields that it
 * applied last time but not this time are removed unless somebody else owns them.
 *
 * @throws ApplyConflictError if a field of another manager would change, without force
 * @throws PatchError if the body is malformed
 * @throws SchemaMismatchError if the body doesn't match the schema of the kind
 */
export async function serverSideApply(endpoint: Endpoint, apply: Apply): Promise<JSONObject> {
  if (hasManagers(apply.applied)) throw new PatchError("malformed", "metadata.managedFields must be nil");
  checkApplied(endpoint, apply.applied);
  const live = withManagers(apply.live ?? newObjectOf(endpoint), new Map());
  const managers = await managersForApply(endpoint, apply, live);
  const result = await applyFields(endpoint, apply, live, managers);
  return apply.manager === "kubectl" ? refreshLastApplied(result, apply.applied) : result;
}

/**
 * Returns true if an apply or update changed nothing but the times of managers. Such a write must not be stored, or
 * applying the same object again would create a new revision each time.
 */
export function changedOnlyTimes(live: JSONObject, next: JSONObject): boolean {
  const noManagers: Managers = new Map();
  return (
    isEqualManagers(managersOf(live), managersOf(next)) &&
    isEqual(withManagers(live, noManagers), withManagers(next, noManagers))
  );
}

function isEqualManagers(a: Managers, b: Managers): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, { apiVersion, fields }]) => {
    const other = b.get(key);
    return other?.apiVersion === apiVersion && isEqualSet(other.fields, fields);
  });
}

/** Returns the managers of the stored object. If it has none, `before-first-apply` owns its fields. */
async function managersForApply(endpoint: Endpoint, apply: Apply, live: JSONObject): Promise<Managers> {
  const managers = managersOf(apply.live);
  if (!apply.live) return managers;
  checkLive(endpoint, live, managers.size > 0);
  if (managers.size > 0) return managers;
  const { time } = apply;
  const before = { live: undefined, next: live, manager: "before-first-apply", time };
  return recordUpdate(endpoint, before, managers);
}

/** Merges the applied fields into the object, removes dropped ones, and assigns the owners. */
async function applyFields(
  endpoint: Endpoint,
  { applied, manager, force, time }: Apply,
  live: JSONObject,
  managers: Managers,
): Promise<JSONObject> {
  const { apiVersion, subresource } = endpoint;
  const schema = endpoint.schemaOf(apiVersion);
  const fitted = await fitManagers(endpoint, live, managers);
  const identity = { manager, operation: "Apply", apiVersion, subresource } as const;
  const key = managerKey(identity);
  const fields = withoutResetFields(fieldsOf(applied, schema), endpoint);
  const last = fitted.get(key);
  const applier = { ...identity, fields, time: last?.time };
  const claimed = new Map(fitted).set(key, applier);

  const merged = mergeValues(live, applied, schema);
  const next = await pruneDropped(endpoint, isObject(merged) ? merged : {}, claimed, applier, last);
  const settled = await settleOwnership(endpoint, live, next, claimed, key);
  if (!force && settled.conflicts.size > 0) {
    const isKubectl = manager === "kubectl";
    const conflicts = isKubectl ? ignoreLastApplied(endpoint, live, settled.conflicts) : settled.conflicts;
    if (conflicts.size > 0) throw new ApplyConflictError(conflicts, fitted);
  }
  const owned = withFields(settled.managers, key, sameSet(last?.fields, withoutServerFields(fields)));
  return withManagers(next, isEqual(live, next) ? owned : withTime(owned, key, time));
}

/** Returns a set, or the equal one from before, whose encoding is known. */
function sameSet(before: FieldSet | undefined, set: FieldSet): FieldSet {
  return before && isEqualSet(before, set) ? before : set;
}

/** Sets the time of a manager. An apply that changes only owners doesn't do so: then a new owner has no time. */
function withTime(managers: Managers, key: string, time: number): Managers {
  const manager = managers.get(key);
  return manager ? new Map(managers).set(key, { ...manager, time: formatTime(time) }) : managers;
}

/**
 * Removes fields that an applier applied last time but not this time, unless another manager owns them.
 * The fields of a removed item or map that others own stay.
 */
async function pruneDropped(
  endpoint: Endpoint,
  merged: JSONObject,
  managers: Managers,
  applier: FieldManager,
  last: FieldManager | undefined,
): Promise<JSONObject> {
  if (!last) return merged;
  const { apiVersion } = applier;
  const isOneVersion = [last, ...managers.values()].every((manager) => manager.apiVersion === apiVersion);
  if (isOneVersion && isEmptySet(difference(last.fields, applier.fields))) return merged;
  const failure = "failed to prune fields: failed to convert merged object to last applied version";
  const whole = await convertToVersion(merged, last.apiVersion, endpoint, failure);
  if (!whole) return merged;

  const schema = endpoint.schemaOf(last.apiVersion);
  let pruned: JSONValue = removeFields(whole, withStructs(last.fields, schema), schema);
  for (const [version, owned] of ownedByVersion(managers, last.apiVersion)) {
    pruned = await restoreOwned(endpoint, merged, pruned, version, owned, last.apiVersion);
  }
  pruned = restoreDangling(whole, pruned, last.fields, schema);
  return (await convertToVersion(asObject(pruned), endpoint.apiVersion, endpoint)) ?? merged;
}

/** Returns all owned fields by version; the object's version comes first, because it needs no conversion. */
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
  const failure = (object: string): string =>
    `failed to prune fields: failed add back owned items: failed to convert ${object} object at version ${apiVersion}`;
  const whole = await convertToVersion(merged, apiVersion, endpoint, failure("merged"));
  const rest = await convertToVersion(asObject(pruned), apiVersion, endpoint, failure("pruned"));
  if (!whole || !rest) return pruned;
  const schema = endpoint.schemaOf(apiVersion);
  const kept = union(structFields(rest, schema), withStructs(owned, schema));
  const restored = removeFields(whole, difference(structFields(whole, schema), kept), schema);
  return (await convertToVersion(asObject(restored), prunedVersion, endpoint)) ?? pruned;
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

/**
 * Removes the fields of a set from a value, each with all fields below it.
 * A list or object that becomes empty is set to null, as on the API server: built-in kinds read null as absent, and a
 * custom resource is rejected if its schema doesn't allow null.
 */
function removeFields(value: JSONValue, set: FieldSet, schema: SchemaNode | undefined): JSONValue {
  if (isEmptySet(set)) return value;
  const shape = shapeOf(value, schema);
  if (shape.kind === "object" && isObject(value)) return removeMembers(value, set, schema);
  if (shape.kind === "list" && Array.isArray(value)) return removeItems(value, set, schema, shape.keys);
  return value;
}

function removeMembers(object: JSONObject, set: FieldSet, schema: SchemaNode | undefined): JSONValue {
  const kept: JSONObject = {};
  for (const [name, member] of Object.entries(object)) {
    const below = childOf(set, fieldElement(name));
    if (!below.owned) setMember(kept, name, removeFields(member, below, memberSchema(schema, name)));
  }
  return Object.keys(kept).length === 0 && Object.keys(object).length > 0 ? null : kept;
}

function removeItems(
  list: readonly JSONValue[],
  set: FieldSet,
  schema: SchemaNode | undefined,
  keys: readonly string[],
): JSONValue {
  const kept = list.flatMap((item) => {
    const element = itemElement(item, keys, schema?.items);
    if (element === undefined) return [item];
    const below = childOf(set, element);
    return below.owned ? [] : [removeFields(item, below, schema?.items)];
  });
  return kept.length === 0 && list.length > 0 ? null : kept;
}

/** Returns the fields of a value, structs included. */
function structFields(value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  return withStructs(fieldsOf(value, schema), schema);
}

function asObject(value: JSONValue): JSONObject {
  return isObject(value) ? value : {};
}

/**
 * Returns the fields that an applier of an object owns, by its schema.
 * Structs are not owned, only their fields; keys of maps and items of lists are owned.
 */
function fieldsOf(value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  const shape = shapeOf(value, schema);
  if (shape.kind === "leaf") return ownedLeaf;
  if (shape.kind === "object" && isObject(value)) {
    return fieldSet(
      false,
      Object.entries(value).map(([name, member]) => {
        const below = fieldsOf(member, memberSchema(schema, name));
        const owned = below.owned || isEmptyObject(member) || !isDeclared(schema, name);
        return [fieldElement(name), fieldSet(owned, below.children)] as const;
      }),
    );
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    return fieldSet(
      false,
      [...groupItems(value, shape.keys, schema?.items)].map(([element, [item]]) => {
        return [element, fieldSet(true, fieldsOf(item!, schema?.items).children)] as const;
      }),
    );
  }
  return emptySet;
}

/** Adds the structs that contain fields of a set: they are removed with their last field. */
function withStructs(set: FieldSet, schema: SchemaNode | undefined): FieldSet {
  return fieldSet(
    set.owned,
    [...set.children].map(([element, child]) => {
      const name = fieldNameOf(element);
      const below = withStructs(child, name === undefined ? schema?.items : memberSchema(schema, name));
      const isStruct = name !== undefined && isDeclared(schema, name);
      return [element, fieldSet(below.owned || isStruct, below.children)] as const;
    }),
  );
}

function isEmptyObject(value: JSONValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** The annotation in which client-side `kubectl apply` stores the applied object. */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Ignores conflicts about fields that kubectl set in a client-side apply and nobody changed since, so that users can
 * migrate to server-side apply without conflicts with themselves.
 */
function ignoreLastApplied(
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

/** Returns the fields that still have the value of the last client-side apply; undefined for none in this version. */
function lastAppliedFields(endpoint: Endpoint, live: JSONObject): FieldSet | undefined {
  const lastApplied = parseObject(annotationsOf(live).annotations[lastAppliedAnnotation]);
  if (lastApplied?.["apiVersion"] !== endpoint.apiVersion) return undefined;
  const schema = endpoint.schemaOf(endpoint.apiVersion);
  const { added, modified, removed } = compareFields(lastApplied, live, schema);
  return difference(fieldsOf(lastApplied, schema), union(union(added, modified), removed));
}

/** Updates the annotation, if an object has it, when kubectl uses server-side apply. */
function refreshLastApplied(object: JSONObject, applied: JSONObject): JSONObject {
  const { metadata, annotations } = annotationsOf(object);
  if (!Object.hasOwn(annotations, lastAppliedAnnotation)) return object;
  const request = annotationsOf(applied);
  const { [lastAppliedAnnotation]: _, ...others } = request.annotations;
  const value = JSON.stringify({
    ...applied,
    metadata: { ...request.metadata, ...(request.metadata["annotations"] ? { annotations: others } : {}) },
  });
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: `${value}\n` } },
  };
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
