import type { JSONObject, JSONValue } from "../../json/index.ts";
import { isObject, memberOf, setMember, unionOfKeys } from "../../json/index.ts";
import { type SchemaNode, isDeclared, memberSchema } from "../schema-node.ts";
import { groupItems, hasContent, itemElement, shapeOf, shapesOf } from "./shape.ts";
import type { PathElement } from "./field-set.ts";
import { mismatchOf } from "./check-applied.ts";
import { SchemaMismatchError } from "./endpoint.ts";

/** Merges an applied value into the live one: applied fields win, all others stay. */
export function mergeValues(live: JSONValue, applied: JSONValue, schema: SchemaNode | undefined): JSONValue {
  const shape = shapesOf(live, applied, schema).at(-1)!;
  if (!hasContent(live, shape) && !hasContent(applied, shape)) return applied;
  if (shape.kind === "object") return mergeObjects(live, applied, schema);
  if (shape.kind === "list") return mergeLists(live, applied, schema, shape.keys);
  return applied;
}

function mergeObjects(live: JSONValue, applied: JSONValue, schema: SchemaNode | undefined): JSONValue {
  const before = isObject(live) ? live : {};
  const desired = isObject(applied) ? applied : {};
  const merged: JSONObject = {};
  for (const name of unionOfKeys(before, desired)) {
    const current = memberOf(before, name);
    const wanted = memberOf(desired, name);
    setMember(merged, name, mergeOptional(current, wanted, memberSchema(schema, name)));
  }
  return merged;
}

/**
 * Merges item by item. Items in both lists are in the applied order; an item of the live list only stays before the
 * common item that it preceded.
 */
function mergeLists(
  live: JSONValue,
  applied: JSONValue,
  schema: SchemaNode | undefined,
  keys: readonly string[],
): JSONValue {
  const before = Array.isArray(live) ? live : [];
  const groups = groupItems(before, keys, schema?.items);
  const desired = groupItems(Array.isArray(applied) ? applied : [], keys, schema?.items);
  const merged: JSONValue[] = [];
  // Duplicate items of the live list are not merged with: the applied item replaces them.
  const pushMerged = (element: PathElement): void => {
    const group = groups.get(element);
    const current = group?.length === 1 ? group[0] : undefined;
    merged.push(mergeOptional(current, desired.get(element)?.[0], schema?.items));
  };

  const left = before.map((item) => ({ item, element: itemElement(item, keys, schema?.items) }));
  const right = [...desired.keys()];
  const done = new Set<PathElement>();
  let next = 0;
  for (const { item, element } of left) {
    if (element === undefined || !desired.has(element)) {
      merged.push(item);
    } else if (!done.has(element) && element === findNextCommon(right, next, groups)) {
      for (; !done.has(element); next++) {
        pushMerged(right[next]!);
        done.add(right[next]!);
      }
    }
  }
  for (; next < right.length; next++) pushMerged(right[next]!);
  return merged;
}

/** Returns the next applied item that is also in the live list. */
function findNextCommon(
  right: readonly PathElement[],
  next: number,
  groups: ReadonlyMap<PathElement, unknown>,
): PathElement | undefined {
  return right.slice(next).find((element) => groups.has(element));
}

function mergeOptional(
  live: JSONValue | undefined,
  applied: JSONValue | undefined,
  schema: SchemaNode | undefined,
): JSONValue {
  if (applied === undefined) return live!;
  return live === undefined ? applied : mergeValues(live, applied, schema);
}

/**
 * Merges an apply configuration of a MutatingAdmissionPolicy into an object: a server-side apply without managers.
 * It can't remove fields or set atomic lists, maps and structs.
 * @throws SchemaMismatchError with the API server's message
 */
export function mergeApplyConfiguration(
  live: JSONObject,
  applied: JSONObject,
  schema: SchemaNode | undefined,
): JSONObject {
  const mismatch = mismatchOf(applied, schema);
  if (mismatch !== undefined) {
    throw new SchemaMismatchError(`failed to convert patch object to typed object: ${mismatch}`);
  }
  const atomic = [...findAtomic(applied, schema, "")];
  if (atomic.length > 0) {
    const reason = "may not mutate atomic arrays, maps or structs";
    throw new SchemaMismatchError(`invalid ApplyConfiguration: ${reason}: ${atomic.join(", ")}`);
  }
  return mergeValues(live, applied, schema) as JSONObject;
}

/** Yields the paths of atomic lists, maps and structs in fields that the schema declares. */
function* findAtomic(value: JSONValue, schema: SchemaNode | undefined, path: string): Generator<string> {
  if (!schema || typeof value !== "object" || value === null) return;
  if (shapeOf(value, schema).kind === "leaf") yield path;
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (isDeclared(schema, name)) yield* findAtomic(member, schema.properties![name], `${path}.${name}`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findAtomic(item, schema.items, `${path}[${index}]`);
  }
}
