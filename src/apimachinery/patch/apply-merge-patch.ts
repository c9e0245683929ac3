import { isObject, type JSONObject, type JSONValue, memberOf, setMember } from "../json/index.ts";
import { PatchError, undecodable } from "./patch-error.ts";

/**
 * Applies a JSON merge patch (RFC 7386) and returns the new object; doesn't modify its arguments.
 * Unlike the RFC, but like the API server, the root must be an object, and nulls are also removed from objects within
 * lists.
 */
export function applyMergePatch(object: JSONObject, patch: JSONValue): JSONObject {
  if (patch === null) throw new PatchError("malformed", "Invalid JSON Patch");
  if (!isObject(patch)) throw undecodable(patch, "map[string]interface {}");
  return mergeObject(object, patch);
}

function mergeObject(target: JSONObject, patch: JSONObject): JSONObject {
  const result: JSONObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const current = memberOf(result, key);
    if (value === null) delete result[key];
    else if (isObject(value) && isObject(current)) setMember(result, key, mergeObject(current, value));
    else setMember(result, key, withoutNulls(value));
  }
  return result;
}

function withoutNulls(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? mergeObject({}, value) : value;
}
