import { type JSONObject, setMember } from "../json/index.ts";

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
export function mapObject(
  object: JSONObject<unknown>,
  map: (item: unknown, key: string) => unknown,
): JSONObject<unknown> {
  let copy: JSONObject<unknown> | undefined;
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
export function copyObject(object: JSONObject<unknown>): JSONObject<unknown> {
  return { ...object };
}

function copyFirst(object: JSONObject<unknown>, keys: readonly string[], end: number): JSONObject<unknown> {
  const copy: JSONObject<unknown> = {};
  for (let index = 0; index < end; index++) setMember(copy, keys[index]!, object[keys[index]!]);
  return copy;
}
