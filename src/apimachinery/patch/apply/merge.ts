import {
  isObject,
  type JSONObject,
  type JSONValue,
  memberOf,
  setMember,
  unionOfKeys,
} from "../../json/index.ts";
import { type SchemaNode, memberSchema } from "../schema-node.ts";
import { groupItems, itemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { hasContent, shapesOf } from "./shape.ts";

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
  const stated = isObject(applied) ? applied : {};
  const merged: JSONObject = {};
  for (const name of unionOfKeys(before, stated)) {
    setMember(
      merged,
      name,
      mergeOptional(memberOf(before, name), memberOf(stated, name), memberSchema(schema, name)),
    );
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
  const stated = groupItems(Array.isArray(applied) ? applied : [], keys, schema?.items);
  const merged: JSONValue[] = [];
  const emit = (element: PathElement): void => {
    const group = groups.get(element);
    const own = group?.length === 1 ? group[0] : undefined;
    merged.push(mergeOptional(own, stated.get(element)?.[0], schema?.items));
  };

  const left = before.map((item) => ({ item, element: itemElement(item, keys, schema?.items) }));
  const right = [...stated.keys()];
  const emitted = new Set<PathElement>();
  let next = 0;
  for (const { item, element } of left) {
    if (element === undefined || !stated.has(element)) {
      merged.push(item);
    } else if (!emitted.has(element) && element === nextShared(right, next, groups)) {
      for (; !emitted.has(element); next++) {
        emit(right[next]!);
        emitted.add(right[next]!);
      }
    }
  }
  for (; next < right.length; next++) emit(right[next]!);
  return merged;
}

/** Returns the next applied item that is also in the live list. */
function nextShared(
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
