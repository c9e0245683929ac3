/** Strings up to this length are kept once. JSON.parse itself shares those up to ten characters. */
const longest = 80;
const shortest = 11;

/** The pool is emptied when it has so many strings: most names are met once, and must not pile up. */
const capacity = 20_000;

let pool = new Map<string, string>();

/**
 * Makes an object ready to be shared: freezes it and everything in it, so that changing it throws where it is done, and
 * keeps equal strings once. Images, node names and labels are the same in thousands of objects.
 */
export function freezeShared<T>(value: T): T {
  if (Array.isArray(value)) freezeList(value);
  else if (typeof value === "object" && value !== null) freezeFields(value as { [field: string]: unknown });
  return value;
}

function freezeList(list: unknown[]): void {
  if (Object.isFrozen(list)) return;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    if (typeof item === "string") list[at] = shared(item);
    else freezeShared(item);
  }
  Object.freeze(list);
}

function freezeFields(object: { [field: string]: unknown }): void {
  if (Object.isFrozen(object)) return;
  for (const field of Object.keys(object)) {
    const value = object[field];
    if (typeof value === "object") {
      freezeShared(value);
    } else if (typeof value === "string") {
      object[field] = shared(value);
    }
  }
  Object.freeze(object);
}

function shared(text: string): string {
  if (text.length < shortest || text.length > longest) return text;
  const known = pool.get(text);
  if (known !== undefined) return known;
  if (pool.size >= capacity) pool = new Map();
  pool.set(text, text);
  return text;
}
