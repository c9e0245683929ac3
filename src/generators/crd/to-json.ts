/** The content of the file as the API server reads it, without internal notes and undefined keys. */
export function toJson<Value>(value: Value): Value {
  return copy(value) as Value;
}

// JSON.stringify with a replacer takes several times as long, and this runs after every edit.
function copy(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    // A property may be named __proto__.
    if (key === "__proto__") Object.defineProperty(copied, key, { value: copy(member), enumerable: true });
    else copied[key] = copy(member);
  }
  return copied;
}
