import { goText } from "../../text/index.ts";
import { isObject, type JSONObject, type JSONValue, memberOf, setMember } from "../../json/index.ts";
import { PatchError } from "../patch-error.ts";

/** What a patch says beyond values. Members that name a list carry it after a slash. */
const deleteFromList = "$deleteFromPrimitiveList/";
const elementOrder = "$setElementOrder/";

/** The part of a patch that applies to one object, taken apart. */
export interface ObjectPatch {
  /** `$patch`: take the patch as it is, or empty the object, instead of merging. */
  readonly directive: "replace" | "delete" | undefined;
  /** `$retainKeys`: members that may stay; all others go. */
  readonly retained: ReadonlySet<string> | undefined;
  /** Plain members: values, nested patches, and null for what is to be removed. */
  readonly members: JSONObject;
  /** Values to take out of lists of plain values, by the name of the list. */
  readonly deletions: ReadonlyMap<string, readonly JSONValue[]>;
  /** The wanted order of lists, by name: merge keys of their items, or plain values. */
  readonly orders: ReadonlyMap<string, readonly JSONValue[]>;
}

/** Reads the directives of a patch for one object. */
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

/** The `$patch` of an object or of an item of a list; an unknown one is refused. */
export function patchDirective(patch: JSONObject): JSONValue | undefined {
  return memberOf(patch, "$patch");
}

/**
 * A new item of a list is taken as it is: directives within it do nothing, as on the API server, which only
 * drops them as unknown fields.
 */
export function withoutDirectives(value: JSONValue): JSONValue {
  if (Array.isArray(value)) return value.map((item) => withoutDirectives(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => !isDirective(key) && member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutDirectives(member)]));
}

/** The refusal of a `$patch` that means nothing where it stands. */
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

/** Whoever lists the members to keep must list those that the patch sets. */
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
