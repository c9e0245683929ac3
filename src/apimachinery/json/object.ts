import type { JSONValue } from "./scalars.ts";

/** A JSON object; `JSONObject<unknown>` where nobody has looked at its values yet. */
export type JSONObject<Value = JSONValue> = { [key: string]: Value };

/** Tells whether a value is a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JSONObject<unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an own member. Plain reading would find `constructor` and `__proto__` on every object. */
export function memberOf<Value>(object: Readonly<JSONObject<Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member, also one that is named `__proto__`, which plain assignment takes for the prototype. */
export function setMember<Value>(object: JSONObject<Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** The keys of both objects, each once: the first one's in their order, then what only the second has. */
export function unionOfKeys(first: object, second: object): string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(second)])];
}
