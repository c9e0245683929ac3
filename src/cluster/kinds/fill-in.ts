/** An object of JSON whose fields are looked up by name. */
export type Fields = Record<string, unknown>;

/** Gives fields their defaults where they have no value; nothing happens to an object that is not there. */
export function fillIn(target: unknown, defaults: () => Fields): void {
  if (typeof target !== "object" || target === null) return;
  for (const [field, value] of Object.entries(defaults())) (target as Fields)[field] ??= value;
}

/** The objects of a list that may not be there. */
export function eachOf(target: unknown, field: string): Fields[] {
  const list = (target as Fields | undefined)?.[field];
  return Array.isArray(list) ? (list as Fields[]) : [];
}
