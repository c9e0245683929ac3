import { goText } from "../../text/index.ts";
import { isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";

export const patchDirective = "$patch";
const retainKeys = "$retainKeys";
/** Directives for a list, whose name follows the slash. */
export const deleteFromList = "$deleteFromPrimitiveList/";
export const elementOrder = "$setElementOrder/";

/** Returns the `$patch` of an object or of an item of a list. */
export function directiveOf(patch: JSONObject): JSONValue | undefined {
  return memberOf(patch, patchDirective);
}

/** The error of an unknown `$patch`. */
export function unknownDirective(directive: JSONValue, patch: JSONObject): PatchError {
  const shown = typeof directive === "string" ? directive : formattedAsText(directive);
  return new PatchError("unforeseen", `unknown patch type: ${shown} in map: ${goText(patch)}`);
}

/** Go's `%s` of what is not text. */
function formattedAsText(value: JSONValue): string {
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "object") return goText(value);
  return `%!s(${goTypeOf(value)}=${goText(value)})`;
}

/** Removes what a new value has with a `$patch`; its other directives stay, and are unknown fields. */
export function removeDirected(value: JSONValue): JSONValue | undefined {
  if (Array.isArray(value)) {
    const kept = value.map(removeDirected).filter((item) => item !== undefined);
    value.splice(0, value.length, ...kept);
  } else if (isObject(value)) {
    if (directiveOf(value) !== undefined) return undefined;
    for (const [name, member] of Object.entries(value))
      if (removeDirected(member) === undefined) delete value[name];
  }
  return value;
}

/** `$retainKeys` names all members that stay; it must include those that the patch sets. */
export function retain(object: JSONObject, patch: JSONObject): void {
  const value = memberOf(patch, retainKeys);
  if (value === undefined) return;
  delete patch[retainKeys];
  const names: ReadonlySet<unknown> | undefined = Array.isArray(value) ? new Set(value) : undefined;
  const isCovered = Object.entries(patch).every(
    ([name, member]) =>
      member === null || names?.has(name) || name.startsWith(deleteFromList) || name.startsWith(elementOrder),
  );
  if (!names || !isCovered) throw new PatchError("malformed", "invalid patch format of retainKeys");
  for (const name of Object.keys(object)) if (!names.has(name)) delete object[name];
}

/** Go's name for the type of a JSON value. */
export function goTypeOf(value: JSONValue): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Number.isInteger(value) ? "int64" : "float64";
}

/** The error of a value that should have another type. */
export function wrongType(wanted: string, value: JSONValue): PatchError {
  return new PatchError("unforeseen", `expected a ${wanted}, but received a ${goTypeOf(value)}`);
}
