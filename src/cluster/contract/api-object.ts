import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";

/** An object as the server works with it: JSON with a few names known. What is stored is never changed. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** A deep copy of plain JSON, several times faster than `structuredClone`. */
export function cloneJSON<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJSON) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "__proto__") defineField(copy, key, cloneJSON(child));
    else copy[key] = typeof child === "object" && child !== null ? cloneJSON(child) : child;
  }
  return copy as T;
}

/** A field may be called `__proto__` in JSON; assigning it would set the prototype instead. */
function defineField(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Makes an object hold what another one holds, in place. */
export function replaceFields(object: ApiObject, next: ApiObject): void {
  if (next === object) return;
  for (const field of Object.keys(object)) if (!(field in next)) delete object[field];
  Object.assign(object, next);
}
