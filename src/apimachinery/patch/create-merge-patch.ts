import { isEqual, isObject, type JSONObject, setMember, unionOfKeys } from "../json/index.ts";

/**
 * Returns the JSON merge patch (RFC 7386) from one object to another; `{}` if they are equal.
 *
 * A list that differs is replaced. A member that is `undefined` or `null` in `to` is removed: a merge patch can't set
 * null.
 */
export function createMergePatch(from: object, to: object): JSONObject {
  const patch: JSONObject = {};
  for (const key of unionOfKeys(from, to)) {
    const before = ownMember(from, key);
    const after = ownMember(to, key);
    if (isEqual(before, after)) continue;
    if (after == null) {
      if (before != null) setMember(patch, key, null);
    } else if (isObject(after) && isObject(before)) {
      const nested = createMergePatch(before, after);
      if (Object.keys(nested).length > 0) setMember(patch, key, nested);
    } else if (isObject(after)) {
      setMember(patch, key, createMergePatch({}, after));
    } else {
      setMember(patch, key, after as JSONObject);
    }
  }
  return patch;
}

function ownMember(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}
