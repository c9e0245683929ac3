import type { JSONValue } from "./scalars.ts";

/** A JSON object; `JSONObject<unknown>` if its values were not checked yet. */
export type JSONObject<Value = JSONValue> = { [key: string]: Value };

/** Returns true for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JSONObject<unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object's own member. Plain property access would find `constructor` and `__proto__` on every object. */
export function memberOf<Value>(object: Readonly<JSONObject<Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member, even one named `__proto__`, with which plain assignment would set the prototype. */
export function setMember<Value>(object: JSONObject<Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** The keys of both objects without duplicates: the first object's in order, then those that only the second has. */
export function unionOfKeys(first: object, second: object): string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(second)])];
}
