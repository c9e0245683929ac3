import type { JSONValue } from "../../json/index.ts";
import { identifyItem } from "./identify-item.ts";

/**
 * Orders a merged list: items of the patch are in its order, all others in the current order. Where the two orders
 * meet, the current one decides; a new item comes first.
 */
export function orderItems(
  merged: readonly JSONValue[],
  wanted: readonly JSONValue[],
  current: readonly JSONValue[],
  mergeKey: string | undefined,
): JSONValue[] {
  const wantedAt = positions(wanted, mergeKey);
  const currentAt = positions(current, mergeKey);
  const at = (places: ReadonlyMap<string, number>, item: JSONValue) =>
    places.get(identifyItem(item, mergeKey));
  const by = (places: ReadonlyMap<string, number>) => (a: JSONValue, b: JSONValue) =>
    (at(places, a) ?? places.size) - (at(places, b) ?? places.size);

  const named = merged.filter((item) => at(wantedAt, item) !== undefined).sort(by(wantedAt));
  const others = merged.filter((item) => at(wantedAt, item) === undefined).sort(by(currentAt));
  const ordered: JSONValue[] = [];
  let [left, right] = [0, 0];
  while (left < others.length && right < named.length) {
    const other = at(currentAt, others[left]!);
    const own = at(currentAt, named[right]!);
    const otherFirst = other !== undefined && own !== undefined && other < own;
    ordered.push(otherFirst ? others[left++]! : named[right++]!);
  }
  return [...ordered, ...others.slice(left), ...named.slice(right)];
}

function positions(items: readonly JSONValue[], mergeKey: string | undefined): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const id = identifyItem(item, mergeKey);
    if (!places.has(id)) places.set(id, index);
  }
  return places;
}
