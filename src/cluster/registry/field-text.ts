/** The value that a field selector compares: a field as text, empty if it is missing. */
export function fieldText(object: object, path: string): string {
  let value: unknown = object;
  for (const field of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[field];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
