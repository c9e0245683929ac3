import { type JSONObject, setMember } from "../json/index.ts";

/** Returned by a mapping to remove the member. */
export const dropped = Symbol("dropped");

/** Maps a list; returns the list itself if no item changed. */
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

/** Maps an object's members; returns the object itself if no member changed. */
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

function copyFirst(object: JSONObject<unknown>, keys: readonly string[], end: number): JSONObject<unknown> {
  const copy: JSONObject<unknown> = {};
  for (let index = 0; index < end; index++) setMember(copy, keys[index]!, object[keys[index]!]);
  return copy;
}
