/** A JSON object whose values have not been looked at yet. */
export type JSONObject = { [key: string]: unknown };

/** Tells whether a value is a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads an own member; plain reading would find `constructor` on every object. */
export function memberOf(object: JSONObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Tells whether two values are the same JSON. Undefined members count as absent. */
export function isSameJSON(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return (typeof a === "bigint" || typeof b === "bigint") && a == b; // oxlint-disable-line eqeqeq
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isSameJSON(item, b[index]));
  }
  const keys = definedKeys(a);
  if (keys.length !== definedKeys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSameJSON((a as JSONObject)[key], (b as JSONObject)[key]),
  );
}

/** Sets a member, also one named `__proto__`, which plain assignment takes for the prototype. */
export function setMember(object: JSONObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[key] = value;
  }
}

function definedKeys(object: object): string[] {
  return Object.keys(object).filter((key) => (object as JSONObject)[key] !== undefined);
}
