import { isEqual, isObject } from "../json/index.ts";

/** Fields that the API server writes itself. */
const bookkeeping = new Set(["metadata.managedFields", "metadata.resourceVersion", "metadata.generation"]);

/** The paths of the fields that differ between two states of an object, down to the first list. */
export function changedFields(before: unknown, after: unknown, path = ""): string[] {
  if (bookkeeping.has(path) || isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    changedFields(before[name], after[name], path === "" ? name : `${path}.${name}`),
  );
}
