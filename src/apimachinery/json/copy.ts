import { type JSONObject, setMember } from "./object.ts";

/** A deep copy of JSON, several times faster than `structuredClone`. */
export function copyJSON<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJSON) as T;
  const copy: JSONObject<unknown> = {};
  for (const [key, item] of Object.entries(value)) setMember(copy, key, copyJSON(item));
  return copy as T;
}
