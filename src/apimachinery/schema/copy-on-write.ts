import { type JSONObject, setMember } from "./json.ts";

/** What a mapping returns for a member that must go. */
export const dropped = Symbol("dropped");

/** Maps a list; returns the list itself when every item came back as it was. */
export function mapList(list: unknown[], map: (item: unknown, index: number) => unknown): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const next = map(list[index], index);
    if (!copy && next === list[index]) continue;
    copy ??= list.slice(0, index);
    copy.push(next);
  }
  return copy ?? list;
}

/** Maps an object's members; returns the object itself when every member came back as it was. */
export function mapObject(object: JSONObject, map: (item: unknown, key: string) => unknown): JSONObject {
  let copy: JSONObject | undefined;
  const keys = Object.keys(object);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const next = map(object[key], key);
    if (!copy && next === object[key]) continue;
    copy ??= copyFirst(object, keys, index);
    if (next !== dropped) setMember(copy, key, next);
  }
  return copy ?? object;
}

/** A shallow copy that keeps a member named `__proto__` a member. */
export function copyObject(object: JSONObject): JSONObject {
  return { ...object };
}

/** A deep copy of JSON, several times faster than `structuredClone`. */
export function copyJSON<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJSON) as T;
  const copy: JSONObject = {};
  for (const [key, item] of Object.entries(value)) setMember(copy, key, copyJSON(item));
  return copy as T;
}

function copyFirst(object: JSONObject, keys: readonly string[], end: number): JSONObject {
  const copy: JSONObject = {};
  for (let index = 0; index < end; index++) setMember(copy, keys[index]!, object[keys[index]!]);
  return copy;
}
