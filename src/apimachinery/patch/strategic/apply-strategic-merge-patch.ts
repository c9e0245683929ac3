import { goText } from "../../text/index.ts";
import { isObject, type JSONObject, type JSONValue, memberOf, setMember } from "../../json/index.ts";
import { memberSchema } from "../member-schema.ts";
import { PatchError, undecodable } from "../patch-error.ts";
import type { SchemaNode } from "../schema-node.ts";
import { type ObjectPatch, parseObjectPatch, withoutDirectives } from "./directives.ts";
import { orderItems } from "./element-order.ts";
import { deleteValues, type MergeItem, mergeList, newList } from "./merge-list.ts";
import { listStrategy, replacesWhole } from "./strategy.ts";
import { identifyItem } from "./identify-item.ts";

/**
 * Applies a strategic merge patch and returns the new object; doesn't modify its arguments.
 * Objects are merged and null removes, as in a merge patch; the schema says which lists are merged, too, and by which
 * merge key. Directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) control the rest.
 */
export function applyStrategicMergePatch(
  object: JSONObject,
  patch: JSONValue,
  schema: SchemaNode | undefined,
): JSONObject {
  if (patch === null) throw new PatchError("malformed", "Invalid JSON Patch");
  if (!isObject(patch)) throw undecodable(patch, "map[string]interface {}");
  return mergeObject(object, patch, schema);
}

function mergeObject(object: JSONObject, patch: JSONObject, schema: SchemaNode | undefined): JSONObject {
  const parsed = parseObjectPatch(patch);
  if (parsed.directive === "delete") return {};
  if (parsed.directive === "replace") return mergeMembers({}, parsed, undefined);
  return mergeMembers(retain(object, parsed.retained), parsed, schema);
}

function mergeMembers(object: JSONObject, patch: ObjectPatch, schema: SchemaNode | undefined): JSONObject {
  const merged = { ...object };
  for (const [key, value] of Object.entries(patch.members)) {
    if (value === null) delete merged[key];
    else setMember(merged, key, mergeValue(memberOf(object, key), value, memberSchema(schema, key)));
  }
  for (const [key, order] of patch.orders) {
    const list = memberOf(merged, key);
    if (!Array.isArray(list)) continue;
    const { mergeKey } = listStrategy(memberSchema(schema, key));
    checkOrder(memberOf(patch.members, key), order, mergeKey);
    const patched = asList(memberOf(patch.members, key));
    const before = placesBefore(asList(memberOf(object, key)), patched, mergeKey);
    setMember(merged, key, orderItems(list, order, before, mergeKey));
  }
  for (const [key, values] of patch.deletions) {
    const list = memberOf(merged, key);
    if (Array.isArray(list)) setMember(merged, key, deleteValues(list, values));
  }
  return merged;
}

/**
 * Returns the order of items that are not in the patch. The API server merges in place: new items take the places of
 * deleted ones, and so count as items of the current list.
 */
function placesBefore(
  list: readonly JSONValue[],
  patched: readonly JSONValue[],
  mergeKey: string | undefined,
): JSONValue[] {
  const has = (items: readonly JSONValue[], item: JSONValue): boolean =>
    items.some((other) => identifyItem(other, mergeKey) === identifyItem(item, mergeKey));
  const directed = patched.filter((item) => isObject(item) && memberOf(item, "$patch") === "delete");
  const kept = list.filter((item) => !has(directed, item));
  const added = patched.filter((item) => !has(directed, item) && !has(kept, item));
  return [...kept, ...added].slice(0, list.length);
}

function mergeValue(
  current: JSONValue | undefined,
  patch: JSONValue,
  schema: SchemaNode | undefined,
): JSONValue {
  if (isObject(patch)) {
    const base = isObject(current) && !replacesWhole(schema) ? current : {};
    return mergeObject(base, patch, schema);
  }
  if (!Array.isArray(patch)) return patch;
  const { merges, mergeKey } = listStrategy(schema);
  if (!merges) return withoutDirectives(patch);
  const mergeItem: MergeItem = (item, change) => mergeObject(item, change, schema?.items);
  return Array.isArray(current) ? mergeList(current, patch, mergeKey, mergeItem) : newList(patch, mergeItem);
}

function retain(object: JSONObject, retained: ReadonlySet<string> | undefined): JSONObject {
  if (!retained) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => retained.has(key)));
}

/** Checks that the items of a list in the patch are in the order of its `$setElementOrder`. */
function checkOrder(
  patched: JSONValue | undefined,
  order: readonly JSONValue[],
  mergeKey: string | undefined,
): void {
  const wanted = order.map((item) => identifyItem(item, mergeKey));
  const stated = asList(patched)
    .filter((item) => !(isObject(item) && memberOf(item, "$patch") !== undefined))
    .map((item) => identifyItem(item, mergeKey));
  const positions = stated.map((id) => wanted.indexOf(id));
  const sorted = positions.every((position, index) => position >= (positions[index - 1] ?? 0));
  if (wanted.length === 0 || (sorted && !positions.includes(-1))) return;
  throw new PatchError(
    "malformed",
    `The order in patch list:\n${goText(patched ?? null)}\n doesn't match $setElementOrder list:\n${goText([...order])}\n`,
  );
}

function asList(value: JSONValue | undefined): JSONValue[] {
  return Array.isArray(value) ? value : [];
}
