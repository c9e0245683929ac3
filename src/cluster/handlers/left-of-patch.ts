import { isObject, type JSONValue, memberOf } from "@tsbuilder/apimachinery/json";

/**
 * What the real server's strategic merge leaves of a patch, which its messages show: where the object has nothing, there are
 * no nulls.
 */
export function leftOfPatch(patch: JSONValue, current: unknown): JSONValue {
  if (!isObject(patch)) return patch;
  const entries = Object.entries(patch).map(([name, value]) => {
    const there = isObject(current) ? memberOf(current, name) : undefined;
    return [name, there === undefined ? withoutNulls(value) : leftOfPatch(value, there)] as const;
  });
  return Object.fromEntries(entries);
}

function withoutNulls(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
}
