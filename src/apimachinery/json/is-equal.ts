/**
 * Returns true if two values are equal as JSON. The order of members is ignored, a member that is `undefined` counts as
 * absent, and a number may be a bigint on one side: decoders return one where a number would lose digits.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return isSameNumber(a, b) || isSameNumber(b, a);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && isEqualList(a, b);
  }
  return isEqualObject(a as Members, b as Members);
}

type Members = Readonly<Record<string, unknown>>;

function isSameNumber(a: unknown, b: unknown): boolean {
  return typeof a === "bigint" && typeof b === "number" && Number.isInteger(b) && a === BigInt(b);
}

function isEqualList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
}

function isEqualObject(a: Members, b: Members): boolean {
  const keys = definedKeys(a);
  if (keys.length !== definedKeys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

function definedKeys(object: Members): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}
