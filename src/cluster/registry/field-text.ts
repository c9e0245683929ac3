import type { ApiObject } from "../contract/api-object.ts";

/** What a field selector compares: the text of a field, empty where it is not there. */
export function fieldText(object: ApiObject, path: string): string {
  let value: unknown = object;
  for (const field of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[field];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
