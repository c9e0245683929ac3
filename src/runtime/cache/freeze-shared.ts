/** Strings up to this length are shared. JSON.parse itself shares those up to ten characters. */
const longest = 80;
const shortest = 11;

/** The pool is cleared at this size: most names occur once, and must not accumulate. */
const capacity = 20_000;

let pool = new Map<string, string>();

/**
 * Prepares an object for sharing: freezes it recursively, so that a change throws where it is made, and shares equal
 * strings. Images, node names and labels are the same in thousands of objects.
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
