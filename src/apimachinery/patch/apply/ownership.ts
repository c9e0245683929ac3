import { type JSONObject, type JSONValue, isObject, memberOf } from "../../json/index.ts";
import { type SchemaNode, memberSchema } from "../schema-node.ts";
import { type Comparison, compareFields } from "./compare.ts";
import { type Endpoint, inVersion, withoutResetFields } from "./endpoint.ts";
import {
  type FieldSet,
  difference,
  fieldSet,
  fieldSetOf,
  intersection,
  isEmptySet,
  ownedLeaf,
  union,
} from "./field-set.ts";
import { type FieldManager, type Managers, withFields } from "./managers.ts";
import { type PathElement, fieldElement, fieldNameOf } from "./path-element.ts";
import { groupItems, shapeOf } from "./shape.ts";

/** The effect of a write on the fields of other managers. */
export interface Settlement {
  /** The remaining managers; the writer is unchanged. */
  readonly managers: Managers;
  /** The changes of the write, in the version of the endpoint. */
  readonly comparison: Comparison;
  /** Changed fields that others own, by the key of their manager. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
}

/**
 * Removes changed and removed fields from the other managers, and managers of unknown versions. The caller decides
 * whether the write may take the changed fields: see `conflicts`.
 */
export async function settleOwnership(
  endpoint: Endpoint,
  live: JSONObject,
  next: JSONObject,
  managers: Managers,
  writer: string,
): Promise<Settlement> {
  const comparisons = new Map<string, Comparison | undefined>();
  const conflicts = new Map<string, FieldSet>();
  let settled = managers;
  const comparison = (await compareInVersion(endpoint, live, next, endpoint.apiVersion))!;
  comparisons.set(endpoint.apiVersion, comparison);

  for (const [key, manager] of managers) {
    if (key === writer) continue;
    if (!comparisons.has(manager.apiVersion)) {
      comparisons.set(manager.apiVersion, await compareInVersion(endpoint, live, next, manager.apiVersion));
    }
    const seen = comparisons.get(manager.apiVersion);
    const conflict = seen && intersection(manager.fields, union(seen.modified, seen.added));
    if (conflict && !isEmptySet(conflict)) conflicts.set(key, conflict);
    settled = withFields(settled, key, seen ? keptFields(manager, conflict!, seen.removed) : fieldSetOf());
  }
  return { managers: settled, comparison, conflicts };
}

/**
 * Adapts the fields of managers to a changed schema. Managers of unknown versions are not changed.
 */
export async function fitManagers(
  endpoint: Endpoint,
  live: JSONObject,
  managers: Managers,
): Promise<Managers> {
  let fitted = managers;
  for (const [key, manager] of managers) {
    const schema = endpoint.schemaOf(manager.apiVersion);
    if (!schema || fitting.get(manager.fields) === schema) continue;
    const object = await inVersion(live, manager.apiVersion, endpoint);
    if (!object) continue;
    const fields = fitToSchema(manager.fields, object, schema);
    fitting.set(fields, schema);
    fitted = withFields(fitted, key, fields);
  }
  return fitted;
}

/**
 * Adapts a set to a schema in which values have become atomic: owners of fields below such a value own the value.
 * Nothing changes for values that are no longer atomic: their owners keep that path only.
 */
function fitToSchema(set: FieldSet, value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  if (set.children.size === 0 || isFreeForm(schema)) return set;
  const shape = shapeOf(value, schema);
  if (shape.kind === "leaf") return typeof value === "object" && value !== null ? ownedLeaf : set;
  if (shape.kind === "object" && isObject(value)) {
    return fitChildren(set, (element) => {
      const name = fieldNameOf(element) ?? "";
      return { value: memberOf(value, name), schema: memberSchema(schema, name) };
    });
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    const groups = groupItems(value, shape.keys, schema?.items);
    return fitChildren(set, (element) => ({ value: groups.get(element)?.[0], schema: schema?.items }));
  }
  return set;
}

/** An object without a schema: owners of its members keep them. */
function isFreeForm(schema: SchemaNode | undefined): boolean {
  if (schema?.type !== "object" || schema.properties) return false;
  return typeof schema.additionalProperties !== "object" && schema.additionalProperties !== false;
}

/** Adapts the children of a set; returns the same set if nothing changes. */
function fitChildren(
  set: FieldSet,
  find: (element: PathElement) => { value: JSONValue | undefined; schema: SchemaNode | undefined },
): FieldSet {
  let changed = false;
  const children = [...set.children].map(([element, child]) => {
    const below = child.children.size === 0 ? undefined : find(element);
    const fitted = below?.value === undefined ? child : fitToSchema(child, below.value, below.schema);
    changed ||= fitted !== child;
    return [element, fitted] as const;
  });
  return changed ? fieldSet(set.owned, children) : set;
}

/** The schema to which a set of fields was adapted. */
const fitting = new WeakMap<FieldSet, SchemaNode>();

/** Removes fields that nobody owns: those that identify the object, and those that only the server sets. */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, serverFields);
}

const serverFields = fieldSetOf(
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [fieldElement("metadata")],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => [fieldElement("metadata"), fieldElement(name)]),
);

function keptFields(manager: FieldManager, conflict: FieldSet, removed: FieldSet): FieldSet {
  return difference(difference(manager.fields, conflict), removed);
}

async function compareInVersion(
  endpoint: Endpoint,
  live: JSONObject,
  next: JSONObject,
  apiVersion: string,
): Promise<Comparison | undefined> {
  const before = await inVersion(live, apiVersion, endpoint, "failed to convert old object");
  const after = await inVersion(next, apiVersion, endpoint, "failed to convert new object");
  if (!before || !after) return undefined;
  const { added, modified, removed } = compareFields(before, after, endpoint.schemaOf(apiVersion));
  return {
    added: withoutResetFields(added, endpoint),
    modified: withoutResetFields(modified, endpoint),
    removed: withoutResetFields(removed, endpoint),
  };
}
