import { goText } from "../../text/index.ts";
import { isEqual, isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";
import type { SchemaNode } from "../schema-node.ts";
import { directiveOf, goTypeOf, unknownDirective } from "./directives.ts";
import { checkKeys, orderItems, splitByPresence } from "./element-order.ts";
import { goKindOf } from "./strategy.ts";

/** Merges a patch into an item. */
export type MergeItem = (item: JSONObject, patch: JSONObject) => JSONObject;

export interface ListMerge {
  readonly mergeKey: string | undefined;
  /** The schema of the items. */
  readonly items: SchemaNode | undefined;
  readonly mergeItem: MergeItem;
}

/** Merges the items of a patch into a list, which it changes: objects by their merge key, plain values as a set. */
export function mergeList(list: JSONValue[], patch: JSONValue[], merge: ListMerge): JSONValue[] {
  if (list.length + patch.length === 0) return list;
  if (!areObjects(list, patch)) return inOrder(unique([...list, ...patch]), patch, list, merge.mergeKey);
  const { mergeKey } = merge;
  if (mergeKey === undefined)
    throw new PatchError("unforeseen", `cannot merge lists without merge key for ${goKindOf(merge.items)}`);
  const { replaces, kept, plain } = followDirectives(list as JSONObject[], patch as JSONObject[], mergeKey);
  const merged = mergeItems(kept, plain, mergeKey, merge.mergeItem);
  // Go merges in place, so that new items take the places of deleted ones where the list is ordered once more.
  if (!replaces) list.splice(0, list.length, ...merged.slice(0, list.length));
  return inOrder(merged, plain, kept, mergeKey);
}

/** Items of the patch in its order, all others in the current order. */
function inOrder(
  merged: readonly JSONValue[],
  patch: readonly JSONValue[],
  list: readonly JSONValue[],
  mergeKey: string | undefined,
): JSONValue[] {
  const { named, others } = splitByPresence(merged, patch, mergeKey);
  if (mergeKey !== undefined) checkKeys([...patch, ...list], mergeKey);
  return orderItems(named, others, { wanted: patch, current: list, mergeKey });
}

/** Whether the items of two lists are objects. All must have one type, but not that of a list. */
export function areObjects(...lists: readonly (readonly JSONValue[])[]): boolean {
  const [first, ...others] = lists.flat();
  if (first === undefined) throw new PatchError("unforeseen", "no elements in any of the given slices");
  if (Array.isArray(first)) throw new PatchError("inapplicable", "lists of lists are not supported");
  if (others.some((other) => goTypeOf(other) !== goTypeOf(first))) {
    const shown = goText(lists as JSONValue[]);
    throw new PatchError("unforeseen", `list element types are not identical: ${shown}`);
  }
  return isObject(first);
}

/** Removes plain values from a list. */
export function deleteValues(list: readonly JSONValue[], values: readonly JSONValue[]): JSONValue[] {
  return list.filter((item) => !values.some((value) => isEqual(item, value)));
}

/** Deletes the items that have `$patch: delete` in the patch; `$patch: replace` replaces the list with the patch. */
function followDirectives(
  list: readonly JSONObject[],
  patch: readonly JSONObject[],
  mergeKey: string,
): { replaces: boolean; kept: JSONObject[]; plain: JSONObject[] } {
  let kept = [...list];
  let replaces = false;
  for (const item of patch) {
    const directive = directiveOf(item);
    if (directive === undefined) continue;
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      const key = keyOf(item, mergeKey);
      kept = kept.filter((other) => !isEqual(memberOf(other, mergeKey), key));
    } else if (directive === "merge")
      throw new PatchError("unforeseen", "merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  const plain = patch.filter((item) => directiveOf(item) === undefined);
  return replaces ? { replaces, kept: plain, plain: [] } : { replaces, kept, plain };
}

function mergeItems(
  list: readonly JSONObject[],
  items: readonly JSONObject[],
  mergeKey: string,
  mergeItem: MergeItem,
): JSONObject[] {
  const merged = [...list];
  for (const item of items) {
    const key = keyOf(item, mergeKey);
    const index = merged.findIndex((current) => isEqual(memberOf(current, mergeKey), key));
    if (index === -1) merged.push(item);
    else merged[index] = mergeItem(merged[index]!, item);
  }
  return merged;
}

function keyOf(item: JSONObject, mergeKey: string): JSONValue {
  checkKeys([item], mergeKey);
  return memberOf(item, mergeKey)!;
}

function unique(values: readonly JSONValue[]): JSONValue[] {
  return values.filter((value, index) => values.findIndex((other) => isEqual(other, value)) === index);
}
