import { goText } from "../../text/index.ts";
import { type JSONValue, isObject, memberOf } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";
import { directiveOf, wrongType } from "./directives.ts";

/** Splits a list into the items that another list has, too, and those that it has not. */
export function splitByPresence(
  list: readonly JSONValue[],
  other: readonly JSONValue[],
  mergeKey: string | undefined,
): { named: JSONValue[]; others: JSONValue[] } {
  if (mergeKey !== undefined) checkKeys(list, mergeKey);
  const plain = mergeKey === undefined ? -1 : other.findIndex((item) => !isObject(item));
  if (plain !== -1 && list.length > 0)
    throw new PatchError("unforeseen", `value for key ${plain} is not a map`);
  const present = new Set(other.map((item) => identifyItem(item, mergeKey)));
  const isNamed = (item: JSONValue): boolean => present.has(identifyItem(item, mergeKey));
  return { named: list.filter(isNamed), others: list.filter((item) => !isNamed(item)) };
}

/**
 * Puts two parts of a list together: the named items in the wanted order, all others in the current one. Where the two
 * orders meet, the current one decides; a new item comes first.
 */
export function orderItems(
  named: readonly JSONValue[],
  others: readonly JSONValue[],
  {
    wanted,
    current,
    mergeKey,
  }: {
    wanted: readonly JSONValue[];
    current: readonly JSONValue[];
    mergeKey: string | undefined;
  },
): JSONValue[] {
  const wantedAt = positions(wanted, mergeKey);
  const currentAt = positions(current, mergeKey);
  const at = (places: ReadonlyMap<string, number>, item: JSONValue) =>
    places.get(identifyItem(item, mergeKey));
  const by = (places: ReadonlyMap<string, number>) => (a: JSONValue, b: JSONValue) =>
    (at(places, a) ?? places.size) - (at(places, b) ?? places.size);

  const left = others.toSorted(by(currentAt));
  const right = named.toSorted(by(wantedAt));
  const ordered: JSONValue[] = [];
  while (left.length > 0 && right.length > 0) {
    const other = at(currentAt, left[0]!);
    const own = at(currentAt, right[0]!);
    const otherFirst = other !== undefined && own !== undefined && other < own;
    ordered.push((otherFirst ? left : right).shift()!);
  }
  return [...ordered, ...left, ...right];
}

/** Checks that the items of a list in a patch are in the order of its `$setElementOrder`. */
export function checkOrder(
  patched: readonly JSONValue[],
  order: readonly JSONValue[],
  mergeKey: string | undefined,
): void {
  if (patched.length === 0 || order.length === 0) return;
  let at = 0;
  for (const item of patched.filter((each) => !(isObject(each) && directiveOf(each) !== undefined))) {
    if (mergeKey !== undefined && at < order.length) checkKeys([item, order[at]!], mergeKey);
    while (at < order.length && !isSame(item, order[at]!, mergeKey)) {
      at++;
      if (mergeKey !== undefined && at < order.length) checkKeys([order[at]!], mergeKey);
    }
    if (at === order.length)
      throw new PatchError(
        "unforeseen",
        `The order in patch list:\n${goText([...patched])}\n doesn't match $setElementOrder list:\n${goText([...order])}\n`,
      );
    at++;
  }
}

function isSame(item: JSONValue, other: JSONValue, mergeKey: string | undefined): boolean {
  return identifyItem(item, mergeKey) === identifyItem(other, mergeKey);
}

/** Refuses items that lack their key. */
export function checkKeys(items: readonly JSONValue[], mergeKey: string): void {
  for (const item of items) {
    if (!isObject(item)) throw wrongType("map[string]interface {}", item);
    if (memberOf(item, mergeKey) !== undefined) continue;
    const problem = `does not contain declared merge key: ${mergeKey}`;
    throw new PatchError("unforeseen", `map: ${goText(item)} ${problem}`);
  }
}

function positions(items: readonly JSONValue[], mergeKey: string | undefined): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const id = identifyItem(item, mergeKey);
    if (!places.has(id)) places.set(id, index);
  }
  return places;
}

/** Returns a string that is equal for equal items: of the merge key, or of the whole item in a list of plain values. */
function identifyItem(item: JSONValue, mergeKey: string | undefined): string {
  const id = mergeKey !== undefined && isObject(item) ? memberOf(item, mergeKey) : item;
  return JSON.stringify(id) ?? "";
}
