/** Freezes a value and everything in it, so that changing a shared object throws where it is done. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) {
    if (typeof field === "object") deepFreeze(field);
  }
  return Object.freeze(value);
}
