import type { JSONValue } from "@tsbuilder/apimachinery/meta";

/** A JSON object. */
export type JSONObject = { [key: string]: JSONValue };

/** Tells whether a value is a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an own member. Plain reading would find `constructor` and `__proto__` on every object. */
export function memberOf(object: JSONObject, key: string): JSONValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member, also one that is named `__proto__`, which plain assignment takes for the prototype. */
export function setMember(object: JSONObject, key: string, value: JSONValue): void {
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
