import { goText } from "../../text/index.ts";
import { isEqual, isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";
import { patchDirective, unknownDirective, withoutDirectives } from "./directives.ts";
import { orderItems } from "./element-order.ts";

/** Merges a patch into an item. */
export type MergeItem = (item: JSONObject, patch: JSONObject) => JSONObject;

/** Merges the items of a patch into a list: objects by their merge key, plain values as a set. */
export function mergeList(
  list: readonly JSONValue[],
  patch: readonly JSONValue[],
  mergeKey: string | undefined,
  mergeItem: MergeItem,
): JSONValue[] {
  if (patch.some(Array.isArray)) throw new PatchError("inapplicable", "lists of lists are not supported");
  const items = patch.filter((item) => isObject(item));
  if (items.length === 0) return orderItems(unique([...list, ...patch]), patch, list, undefined);
  if (items.length < patch.length) {
    const lists = goText([[...list], [...patch]]);
    throw new PatchError("inapplicable", `list element types are not identical: ${lists}`);
  }
  const key = mergeKey ?? missingMergeKey();
  const { replaces, deleted, plain } = splitItems(items, key);
  if (replaces) return plain.map(withoutDirectives);
  const kept = list.filter((item) => !isObject(item) || !deleted.has(keyOf(item, key)));
  return orderItems(mergeItems(kept, plain, key, mergeItem), plain, kept, key);
}

/** Creates a list from a patch; items with a `$patch` add nothing. */
export function newList(patch: readonly JSONValue[], mergeItem: MergeItem): JSONValue[] {
  return patch.flatMap((item): JSONValue[] => {
    if (!isObject(item)) return [item];
    return patchDirective(item) === undefined ? [mergeItem({}, item)] : [];
  });
}

/** Removes plain values from a list. */
export function deleteValues(list: readonly JSONValue[], values: readonly JSONValue[]): JSONValue[] {
  return list.filter((item) => !values.some((value) => isEqual(item, value)));
}

interface SplitItems {
  /** An item `{ $patch: replace }` replaces the list with the patch. */
  readonly replaces: boolean;
  /** Merge keys of items to delete. */
  readonly deleted: ReadonlySet<string>;
  readonly plain: readonly JSONObject[];
}

function splitItems(items: readonly JSONObject[], mergeKey: string): SplitItems {
  const deleted = new Set<string>();
  const plain: JSONObject[] = [];
  let replaces = false;
  for (const item of items) {
    const directive = patchDirective(item);
    if (directive === undefined) plain.push(item);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") deleted.add(keyOf(item, mergeKey) || missingKey(item, mergeKey));
    else if (directive === "merge")
      throw new PatchError("inapplicable", "merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  return { replaces, deleted, plain };
}

function mergeItems(
  list: readonly JSONValue[],
  items: readonly JSONObject[],
  mergeKey: string,
  mergeItem: MergeItem,
): JSONValue[] {
  const merged = [...list];
  for (const item of items) {
    const key = keyOf(item, mergeKey) || missingKey(item, mergeKey);
    const index = merged.findIndex((current) => isObject(current) && keyOf(current, mergeKey) === key);
    const current = merged[index];
    if (isObject(current)) merged[index] = mergeItem(current, item);
    else merged.push(withoutDirectives(item));
  }
  return merged;
}

/** Returns the value of the merge key as text; empty if the item has none. */
function keyOf(item: JSONObject, mergeKey: string): string {
  return JSON.stringify(memberOf(item, mergeKey)) ?? "";
}

function missingKey(item: JSONObject, mergeKey: string): never {
  throw new PatchError(
    "inapplicable",
    `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`,
  );
}

function missingMergeKey(): never {
  throw new PatchError("inapplicable", "cannot merge lists without merge key");
}

function unique(values: readonly JSONValue[]): JSONValue[] {
  return values.filter((value, index) => values.findIndex((other) => isEqual(other, value)) === index);
}
