import { goText } from "../../text/index.ts";
import { isObject, type JSONObject, type JSONValue, memberOf, setMember } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";

/** Directives for a list, whose name follows the slash. */
const deleteFromList = "$deleteFromPrimitiveList/";
const elementOrder = "$setElementOrder/";

/** The parsed part of a patch for one object. */
export interface ObjectPatch {
  /** `$patch`: replace or delete the object instead of merging. */
  readonly directive: "replace" | "delete" | undefined;
  /** `$retainKeys`: members to keep; all others are removed. */
  readonly retained: ReadonlySet<string> | undefined;
  /** Plain members: values, nested patches, and null to remove a member. */
  readonly members: JSONObject;
  /** Values to remove from lists of plain values, by the name of the list. */
  readonly deletions: ReadonlyMap<string, readonly JSONValue[]>;
  /** The order of lists, by name: merge keys of their items, or plain values. */
  readonly orders: ReadonlyMap<string, readonly JSONValue[]>;
}

/** Parses the patch for one object. */
export function parseObjectPatch(patch: JSONObject): ObjectPatch {
  const members: JSONObject = {};
  const deletions = new Map<string, readonly JSONValue[]>();
  const orders = new Map<string, readonly JSONValue[]>();
  for (const [key, value] of Object.entries(patch)) {
    if (key === "$patch" || key === "$retainKeys") continue;
    if (key.startsWith(deleteFromList)) deletions.set(key.slice(deleteFromList.length), listOf(key, value));
    else if (key.startsWith(elementOrder)) orders.set(key.slice(elementOrder.length), listOf(key, value));
    else setMember(members, key, value);
  }
  return {
    directive: directiveOf(patch),
    retained: retainedKeys(patch, members),
    members,
    deletions,
    orders,
  };
}

/** Returns the `$patch` of an object or of an item of a list. */
export function patchDirective(patch: JSONObject): JSONValue | undefined {
  return memberOf(patch, "$patch");
}

/**
 * Removes directives from a new item of a list: they have no effect there, because the API server drops them as unknown
 * fields.
 */
export function withoutDirectives(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map((item) => withoutDirectives(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => !isDirective(key) && member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutDirectives(member)]));
}

/** The error of an unknown `$patch`. */
export function unknownDirective(directive: JSONValue, patch: JSONObject): PatchError {
  return new PatchError("inapplicable", `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
}

function isDirective(key: string): boolean {
  const isPrefixed = key.startsWith(deleteFromList) || key.startsWith(elementOrder);
  return isPrefixed || key === "$patch" || key === "$retainKeys";
}

function directiveOf(patch: JSONObject): "replace" | "delete" | undefined {
  const directive = patchDirective(patch);
  if (directive === undefined || directive === "replace" || directive === "delete") return directive;
  throw unknownDirective(directive, patch);
}

/** `$retainKeys` must include the members that the patch sets. */
function retainedKeys(patch: JSONObject, members: JSONObject): ReadonlySet<string> | undefined {
  const value = memberOf(patch, "$retainKeys");
  if (value === undefined) return undefined;
  const retained = new Set(listOf("$retainKeys", value).filter((key) => typeof key === "string"));
  const covered = Object.entries(members).every(([key, member]) => member === null || retained.has(key));
  if (!covered) throw new PatchError("malformed", "invalid patch format of retainKeys");
  return retained;
}

function listOf(name: string, value: JSONValue): JSONValue[] {
  if (Array.isArray(value) && value.every((item) => !Array.isArray(item))) return value;
  const type = isObject(value) ? "object" : typeof value;
  throw new PatchError(
    "malformed",
    `${name} must be a list, got ${Array.isArray(value) ? "nested lists" : type}`,
  );
}
