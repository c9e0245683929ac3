import { isObject, type JSONValue, memberOf } from "../../json/index.ts";

/** Returns a string that is equal for equal items: of the merge key, or of the whole item in a list of plain values. */
export function identifyItem(item: JSONValue, mergeKey: string | undefined): string {
  const id = mergeKey !== undefined && isObject(item) ? memberOf(item, mergeKey) : item;
  return JSON.stringify(id) ?? "";
}
