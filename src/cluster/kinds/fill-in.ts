import type { ApiObject } from "../contract/api-object.ts";

/** A JSON object whose fields are accessed by name. */
export type Fields = Record<string, unknown>;

/** Sets the defaults of fields that have no value; does nothing if the object is absent. */
export function fillIn(target: unknown, defaults: () => Fields): void {
  if (typeof target !== "object" || target === null) return;
  for (const [field, value] of Object.entries(defaults())) (target as Fields)[field] ??= value;
}

/** Sets empty lists that Go always serializes to null: protobuf, in which the server stores objects, has no empty lists. */
export function emptyAsNull(target: unknown, ...fields: readonly string[]): void {
  if (typeof target !== "object" || target === null) return;
  for (const field of fields) {
    const list = (target as Fields)[field];
    if (list === undefined || (Array.isArray(list) && list.length === 0)) (target as Fields)[field] = null;
  }
}

/**
 * Makes a field such as `podIP` agree with the first item of the newer list, `podIPs`, or with the member `key` of that item.
 * If both are set and differ, the field wins.
 */
export function alignFirst(target: Fields | undefined, field: string, list: string, key?: string): void {
  if (!target) return;
  const item = (target[list] as readonly unknown[] | undefined)?.[0];
  const first = key === undefined ? item : (item as Fields | undefined)?.[key];
  const stated = target[field];
  if (stated && first !== stated) target[list] = [key === undefined ? stated : { [key]: stated }];
  else if (first) target[field] = first;
}

/** Keeps stored fields that a client left out because it may not know them. */
export function keepAbsent<T extends object>(target: T, stored: T, ...fields: readonly (keyof T)[]): void {
  for (const field of fields)
    if (target[field] === undefined && stored[field] !== undefined) target[field] = stored[field];
}

/** The objects of a list that may be absent. */
export function eachOf(target: unknown, field: string): Fields[] {
  const list = (target as Fields | undefined)?.[field];
  return Array.isArray(list) ? (list as Fields[]) : [];
}

/** Adds a finalizer to an object that does not have it yet. */
export function addFinalizer({ metadata }: ApiObject, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
