import { type JSONObject, type JSONValue, isObject, memberOf } from "../../json/index.ts";
import { formatTime } from "../../time/index.ts";
import { type Endpoint, convertToVersion, withoutResetFields } from "./endpoint.ts";
import type { FieldSet, PathElement } from "./field-set.ts";
import {
  difference,
  emptySet,
  fieldElement,
  fieldNameOf,
  fieldSet,
  fieldSetOf,
  intersection,
  isEmptySet,
  ownedLeaf,
  union,
} from "./field-set.ts";
import type { FieldManager, Managers } from "./managers.ts";
import { managerKey, managersForUpdate, withFields, withManagers } from "./managers.ts";
import { compareText, splitWords } from "../../text/text.ts";
import { type SchemaNode, memberSchema } from "../schema-node.ts";
import { groupItems, itemElement, shapeOf } from "./shape.ts";
import { type Comparison, compareFields } from "./compare.ts";

/** A create, update or patch that is not an apply. */
export interface Update {
  /** The stored object in the endpoint's version; undefined for a create. */
  readonly live: JSONObject | undefined;
  /** The object to store, with the `managedFields` that the client sent. */
  readonly next: JSONObject;
  /** The `fieldManager` of the request, or the user agent up to its first slash. */
  readonly manager: string;
  readonly time: number;
}

/**
 * Returns the object to store with its `managedFields`: the manager of this write owns all new and changed fields,
 * other managers lose them. A stored object without managers (reset, or older than server-side apply) has none until
 * somebody applies it.
 */
export async function trackUpdate(endpoint: Endpoint, update: Update): Promise<JSONObject> {
  const managers = managersForUpdate(update.live, update.next, endpoint.subresource);
  if (managers.size === 0 && update.live) return withManagers(update.next, managers);
  return withManagers(update.next, await recordUpdate(endpoint, update, managers));
}

/** Returns an empty object of the kind, with which a create is compared. */
export function newObjectOf({ apiVersion, kind, emptyObject }: Endpoint): JSONObject {
  return { ...emptyObject, apiVersion, kind };
}

/** Records an update in the managers of an object. */
export async function recordUpdate(
  endpoint: Endpoint,
  { live, next, manager, time }: Update,
  managers: Managers,
): Promise<Managers> {
  if (!live && managers.size === 0) {
    const settle = async () => (await settleUpdate(endpoint, undefined, next, managers)).taken;
    const taken = await createdFields(endpoint, next, settle);
    return withUpdater(managers, endpoint, { taken, manager, time });
  }
  const { taken, left } = await settleUpdate(endpoint, live, next, managers);
  return withUpdater(left, endpoint, { taken, manager, time });
}

const maxStructureLength = 4096;

/** The fields of created objects, by schema and by the structure of the object. */
const createdFieldSets = new WeakMap<SchemaNode, Map<string, FieldSet>>();

/**
 * Returns the fields that the creation of an object sets. Most objects of a kind have the same members, and so the same
 * fields: they share one set, whose encoding is known, too.
 */
async function createdFields(
  endpoint: Endpoint,
  object: JSONObject,
  compute: () => Promise<FieldSet>,
): Promise<FieldSet> {
  const schema = endpoint.schemaOf(endpoint.apiVersion);
  // The structs of an empty object may have values, and conversion may change what members there are.
  if (!schema || endpoint.emptyObject || object["apiVersion"] !== endpoint.apiVersion) return compute();
  const structure = `${endpoint.subresource ?? ""}${structureOf(object, schema)}`;
  if (structure.length > maxStructureLength) return compute();
  return createdFieldSets.get(schema)?.get(structure) ?? remember(schema, structure, await compute());
}

/** The number of structures of a schema that are remembered, before all of them are forgotten. */
const maxStructures = 200;

/** Remembers the fields of a structure; returns the set that a creation at the same time remembered first, if one did. */
function remember(schema: SchemaNode, structure: string, fields: FieldSet): FieldSet {
  const structures = createdFieldSets.get(schema) ?? new Map<string, FieldSet>();
  const first = structures.get(structure);
  if (first) return first;
  if (structures.size === maxStructures) structures.clear();
  createdFieldSets.set(schema, structures.set(structure, fields));
  return fields;
}

/**
 * Describes the fields of a value without their values. Each name follows its length, so that two structures never have
 * the same description.
 */
function structureOf(value: JSONValue, schema: SchemaNode | undefined): string {
  if (typeof value !== "object") return ";";
  const shape = shapeOf(value, schema);
  let children = "";
  if (shape.kind === "object" && isObject(value)) {
    for (const name of Object.keys(value)) {
      children += `${name.length}:${name}${structureOf(value[name]!, memberSchema(schema, name))}`;
    }
    return `{${children}}`;
  }
  if (shape.kind !== "list" || !Array.isArray(value)) return ";";
  for (const item of value) {
    const element = itemElement(item, shape.keys, schema?.items);
    if (element !== undefined) children += `${element.length}:${element}${structureOf(item, schema?.items)}`;
  }
  return `[${children}]`;
}

/** Returns the fields that a write sets, and the managers with the fields that it leaves to them. */
async function settleUpdate(
  endpoint: Endpoint,
  live: JSONObject | undefined,
  next: JSONObject,
  managers: Managers,
): Promise<{ readonly taken: FieldSet; readonly left: Managers }> {
  const before = withManagers(live ?? newObjectOf(endpoint), new Map());
  const after = withManagers(next, new Map());
  const fitted = await fitManagers(endpoint, before, managers);
  const settled = await settleOwnership(endpoint, before, after, fitted, "");
  const { added, modified } = settled.comparison;
  return { taken: withoutServerFields(union(added, modified)), left: settled.managers };
}

/** A write by a manager, with the fields that it takes. */
interface Takeover extends Pick<Update, "manager" | "time"> {
  readonly taken: FieldSet;
}

/** Returns the managers with the taken fields added to the updater of the write, which gets its time. */
function withUpdater(managers: Managers, endpoint: Endpoint, { taken, manager, time }: Takeover): Managers {
  if (isEmptySet(taken)) return managers;
  const identity = {
    manager: manager || "unknown",
    operation: "Update",
    apiVersion: endpoint.apiVersion,
    subresource: endpoint.subresource,
  } as const;
  const key = managerKey(identity);
  const fields = union(managers.get(key)?.fields ?? emptySet, taken);
  return capUpdaters(new Map(managers).set(key, { time: formatTime(time), fields, ...identity }));
}

/** The number of updaters that an object lists separately. */
const maxUpdaters = 10;

/**
 * If there are too many updaters, merges the oldest ones into one `ancient-changes` per version.
 * The only old updater of a version is kept.
 */
function capUpdaters(managers: Managers): Managers {
  if (managers.size <= maxUpdaters) return managers;
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update").sort(byTime);
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const updater of updaters) {
    if (count <= maxUpdaters) break;
    const key = managerKey(updater);
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, key);
      continue;
    }
    const { apiVersion, time } = updater;
    const ancient = { manager: "ancient-changes", operation: "Update", apiVersion } as const;
    const ancientKey = managerKey(ancient);
    const merged = (capped.get(ancientKey) ?? capped.get(first))!.fields;
    capped.delete(first);
    capped.delete(key);
    capped.set(ancientKey, { ...ancient, time, fields: union(merged, updater.fields) });
    count--;
  }
  return capped;
}

function byTime(a: FieldManager, b: FieldManager): number {
  const [first, second] = [`${a.time ?? ""} ${managerKey(a)}`, `${b.time ?? ""} ${managerKey(b)}`];
  return compareText(first, second);
}

/** The effect of a write on the fields of other managers. */
interface Settlement {
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
    const changes = comparisons.get(manager.apiVersion);
    const conflict = changes && intersection(manager.fields, union(changes.modified, changes.added));
    if (conflict && !isEmptySet(conflict)) conflicts.set(key, conflict);
    const kept = changes ? difference(difference(manager.fields, conflict!), changes.removed) : emptySet;
    settled = withFields(settled, key, kept);
  }
  return { managers: settled, comparison, conflicts };
}

async function compareInVersion(
  endpoint: Endpoint,
  live: JSONObject,
  next: JSONObject,
  apiVersion: string,
): Promise<Comparison | undefined> {
  const before = await convertToVersion(live, apiVersion, endpoint, "failed to convert old object");
  const after = await convertToVersion(next, apiVersion, endpoint, "failed to convert new object");
  if (!before || !after) return undefined;
  const { added, modified, removed } = compareFields(before, after, endpoint.schemaOf(apiVersion));
  return {
    added: withoutResetFields(added, endpoint),
    modified: withoutResetFields(modified, endpoint),
    removed: withoutResetFields(removed, endpoint),
  };
}

const serverFields = fieldSetOf(
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [fieldElement("metadata")],
  ...splitWords(
    "name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion",
  ).map((name) => [fieldElement("metadata"), fieldElement(name)]),
);

/** Removes fields that nobody owns: those that identify the object, and those that only the server sets. */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, serverFields);
}

/** The schema to which a set of fields was adapted. */
const fittedTo = new WeakMap<FieldSet, SchemaNode>();

/** Adapts the fields of managers to a changed schema. Managers of unknown versions are not changed. */
export async function fitManagers(
  endpoint: Endpoint,
  live: JSONObject,
  managers: Managers,
): Promise<Managers> {
  let fitted = managers;
  for (const [key, manager] of managers) {
    const schema = endpoint.schemaOf(manager.apiVersion);
    if (!schema || fittedTo.get(manager.fields) === schema) continue;
    const object = await convertToVersion(live, manager.apiVersion, endpoint);
    if (!object) continue;
    const fields = fitToSchema(manager.fields, object, schema);
    fittedTo.set(fields, schema);
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

/** Returns true for an object without a schema: owners of its members keep them. */
function isFreeForm(schema: SchemaNode | undefined): boolean {
  if (schema?.type !== "object" || schema.properties) return false;
  return typeof schema.additionalProperties !== "object" && schema.additionalProperties !== false;
}

/** Adapts the children of a set; returns the same set if nothing changes. */
function fitChildren(
  set: FieldSet,
  find: (element: PathElement) => { value: JSONValue | undefined; schema: SchemaNode | undefined },
): FieldSet {
  let isChanged = false;
  const children = [...set.children].map(([element, child]) => {
    const below = child.children.size === 0 ? undefined : find(element);
    const fitted = below?.value === undefined ? child : fitToSchema(child, below.value, below.schema);
    isChanged ||= fitted !== child;
    return [element, fitted] as const;
  });
  return isChanged ? fieldSet(set.owned, children) : set;
}
