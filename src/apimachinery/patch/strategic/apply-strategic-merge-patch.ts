import type { JSONObject, JSONValue } from "../../json/index.ts";
import { copyJSON, isEqual, isObject, memberOf, setMember } from "../../json/index.ts";
import { PatchError, undecodable } from "../patch-error.ts";
import { type SchemaNode, isDeclared } from "../schema-node.ts";
import { goText } from "../../text/index.ts";

/**
 * Applies a strategic merge patch and returns the new object; doesn't modify its arguments.
 * Objects are merged and null removes, as in a merge patch; the schema says which lists are merged, too, and by which
 * merge key. Directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) control the rest,
 * where the object has something to merge with: within new values, those other than `$patch` are unknown fields.
 */
export function applyStrategicMergePatch(
  object: JSONObject,
  patch: JSONValue,
  schema: SchemaNode | undefined,
): JSONObject {
  return mergeStrategically(object, patch, schema).object;
}

/** A patched object, and the rest of the patch. */
export interface Merged {
  readonly object: JSONObject;
  /** The patch after its application: without ordered lists, nulls and some directives. */
  readonly left: JSONObject;
}

/** Applies a patch like `applyStrategicMergePatch`, and also returns the rest of the patch, which Go's messages show. */
export function mergeStrategically(
  object: JSONObject,
  patch: JSONValue,
  schema: SchemaNode | undefined,
): Merged {
  if (patch === null) throw new PatchError("malformed", "Invalid JSON Patch");
  if (!isObject(patch)) throw undecodable(patch, "map[string]interface {}");
  const left = copyJSON(patch);
  return { object: mergeObject(copyJSON(object), left, schema), left };
}

/** Directives; the name of a list follows the slash. */
const patchDirective = "$patch";
const retainKeys = "$retainKeys";
const elementOrder = "$setElementOrder/";
const deleteFromList = "$deleteFromPrimitiveList/";

/** Merges a patch into an object; changes both in place. */
function mergeObject(object: JSONObject, patch: JSONObject, schema: SchemaNode | undefined): JSONObject {
  const directive = directiveOf(patch);
  if (directive === "delete") return {};
  if (directive === "replace") {
    delete patch[patchDirective];
    return patch;
  }
  if (directive !== undefined) throw unknownDirective(directive, patch);
  applyRetainKeys(object, patch);
  for (const key of Object.keys(patch).filter((name) => name.startsWith(elementOrder)))
    orderList(object, patch, key, schema);
  for (const [key, value] of Object.entries(patch)) mergeMember(object, key, value, schema);
  return object;
}

function mergeMember(object: JSONObject, key: string, value: JSONValue, schema: SchemaNode | undefined) {
  const isDeletion = key.startsWith(deleteFromList);
  const name = isDeletion ? key.slice(deleteFromList.length) : key;
  const current = memberOf(object, name);
  if (value === null) delete object[name];
  else if (current === undefined || current === null || jsonType(current) !== jsonType(value)) {
    if (!isDeletion) setNewMember(object, name, value);
  } else if (isObject(value)) {
    const { kind, schema: member } = findStrategy(schema, name);
    const merged = kind === "replace" ? value : mergeObject(current as JSONObject, value, member);
    setMember(object, name, merged);
  } else if (Array.isArray(value)) {
    const list = current as JSONValue[];
    const strategy = findStrategy(schema, name);
    const merged =
      isDeletion && isScalarList(list, value)
        ? list.filter((item) => !value.some((other) => isEqual(item, other)))
        : undefined;
    setMember(object, name, merged ?? mergeLists(list, value, strategy));
  } else setMember(object, name, value);
}

/** Sets a member where the object has none of the value's type, without nulls and parts with a `$patch`. */
function setNewMember(object: JSONObject, name: string, value: JSONValue): void {
  removeNulls(value);
  const kept = removePatched(value);
  if (kept === undefined) delete object[name];
  else setMember(object, name, kept);
}

function removeNulls(value: JSONValue): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (member !== null) removeNulls(member);
    else if (!Array.isArray(value)) delete value[name];
  }
}

/** Returns true if two lists have no objects. */
function isScalarList(list: readonly JSONValue[], values: readonly JSONValue[]): boolean {
  return list.length + values.length === 0 || !areObjects(list, values);
}

/** How a member is merged. */
interface Strategy {
  readonly kind: "merge" | "replace" | undefined;
  /** The member that identifies items; undefined for lists of plain values. */
  readonly mergeKey: string | undefined;
  readonly schema: SchemaNode | undefined;
}

function mergeLists(list: JSONValue[], patch: JSONValue[], strategy: Strategy): JSONValue[] {
  return strategy.kind === "merge" ? mergeList(list, patch, strategy) : patch;
}

/** Orders a list, merged with that of the patch, as its `$setElementOrder` says. */
function orderList(object: JSONObject, patch: JSONObject, key: string, schema: SchemaNode | undefined): void {
  const order = listIn(patch, key)!;
  delete patch[key];
  const name = key.slice(elementOrder.length);
  const [current, patched] = [listIn(object, name), listIn(patch, name)];
  const strategy = findStrategy(schema, name);
  checkOrder(patched ?? [], order, strategy.mergeKey);
  if (!current && !patched) return;
  const merged = !patched
    ? current!
    : current
      ? mergeLists(current, patched, strategy)
      : (removePatched(patched) as JSONValue[]);
  const { mergeKey } = strategy;
  const { listed, others } = splitByPresence(merged, order, mergeKey);
  const areKeyed = areObjects(current ?? [], patched ?? []) && mergeKey !== undefined;
  if (areKeyed) checkKeys([...order, ...(current ?? [])], mergeKey);
  setMember(object, name, orderItems(listed, others, order, current ?? [], mergeKey));
  delete patch[name];
}

/** Merges the items of a patch into a list, which it changes: objects by their merge key, plain values as a set. */
function mergeList(list: JSONValue[], patch: JSONValue[], { mergeKey, schema }: Strategy): JSONValue[] {
  if (list.length + patch.length === 0) return list;
  if (!areObjects(list, patch))
    return orderAsPatch(withoutDuplicates([...list, ...patch]), patch, list, mergeKey);
  const items = schema?.items;
  if (mergeKey === undefined) throw unforeseen(`cannot merge lists without merge key for ${goKindOf(items)}`);
  const { replaces, kept, plain } = followDirectives(list as JSONObject[], patch as JSONObject[], mergeKey);
  const merged = mergeItems(kept, plain, mergeKey, items);
  // Go merges in place, so that new items take the places of deleted ones where the list is ordered once more.
  if (!replaces) list.splice(0, list.length, ...merged.slice(0, list.length));
  return orderAsPatch(merged, plain, kept, mergeKey);
}

/**
 * Looks up how an object or list is merged that both the object and the patch have.
 * @throws PatchError where Go's type of the object is a map, or has no such field
 */
function findStrategy(schema: SchemaNode | undefined, name: string): Strategy {
  if (isDeclared(schema, name)) {
    const member = schema!.properties![name]!;
    const strategies = member["x-kubernetes-patch-strategy"]?.split(",") ?? [];
    return {
      kind: strategies.find((strategy) => strategy === "merge" || strategy === "replace"),
      mergeKey: member["x-kubernetes-patch-merge-key"],
      schema: member,
    };
  }
  if (schema?.additionalProperties || schema?.type === "string")
    throw unforeseen(
      `merging an object in json but data type is not struct, instead is: ${goKindOf(schema)}`,
    );
  if (schema?.typeName !== undefined) {
    const struct = schema.typeName.split(".").at(-1)!;
    throw unforeseen(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  }
  return { kind: undefined, mergeKey: undefined, schema: undefined };
}

/** The kind of Go's type for a value of a schema. */
function goKindOf(schema: SchemaNode | undefined): string {
  if (schema?.additionalProperties) return "map";
  return schema?.type === "string" ? "string" : "struct";
}

/** Items of the patch in its order, all others in the current order. */
function orderAsPatch(
  merged: readonly JSONValue[],
  patch: readonly JSONValue[],
  list: readonly JSONValue[],
  mergeKey: string | undefined,
): JSONValue[] {
  const { listed, others } = splitByPresence(merged, patch, mergeKey);
  if (mergeKey !== undefined) checkKeys([...patch, ...list], mergeKey);
  return orderItems(listed, others, patch, list, mergeKey);
}

/** Returns true if the items of lists are objects. All items must have one type, and must not be lists. */
function areObjects(...lists: readonly (readonly JSONValue[])[]): boolean {
  const [first, ...others] = lists.flat();
  if (first === undefined) throw unforeseen("no elements in any of the given slices");
  if (Array.isArray(first)) throw new PatchError("inapplicable", "lists of lists are not supported");
  if (others.some((other) => goTypeOf(other) !== goTypeOf(first))) {
    const shown = goText(lists as JSONValue[]);
    throw unforeseen(`list element types are not identical: ${shown}`);
  }
  return isObject(first);
}

/** Deletes the items that have `$patch: delete` in the patch; `$patch: replace` replaces the list with the patch. */
function followDirectives(list: readonly JSONObject[], patch: readonly JSONObject[], mergeKey: string) {
  let kept = [...list];
  let replaces = false;
  for (const item of patch) {
    const directive = directiveOf(item);
    if (directive === undefined) continue;
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      const key = keyOf(item, mergeKey);
      kept = kept.filter((other) => !isEqual(memberOf(other, mergeKey), key));
    } else if (directive === "merge") throw unforeseen("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  const plain = patch.filter((item) => directiveOf(item) === undefined);
  return replaces ? { replaces, kept: plain, plain: [] } : { replaces, kept, plain };
}

function mergeItems(
  list: readonly JSONObject[],
  changes: readonly JSONObject[],
  mergeKey: string,
  schema: SchemaNode | undefined,
): JSONObject[] {
  const merged = [...list];
  for (const item of changes) {
    const key = keyOf(item, mergeKey);
    const index = merged.findIndex((current) => isEqual(memberOf(current, mergeKey), key));
    if (index === -1) merged.push(item);
    else merged[index] = mergeObject(merged[index]!, item, schema);
  }
  return merged;
}

function keyOf(item: JSONObject, mergeKey: string): JSONValue {
  checkKeys([item], mergeKey);
  return memberOf(item, mergeKey)!;
}

/** Splits a list into the items that another list has, too, and all others. */
function splitByPresence(
  list: readonly JSONValue[],
  other: readonly JSONValue[],
  mergeKey: string | undefined,
): { listed: JSONValue[]; others: JSONValue[] } {
  if (mergeKey !== undefined) checkKeys(list, mergeKey);
  const plain = mergeKey === undefined ? -1 : other.findIndex((item) => !isObject(item));
  if (plain !== -1 && list.length > 0) throw unforeseen(`value for key ${plain} is not a map`);
  const present = new Set(other.map((item) => identifyItem(item, mergeKey)));
  const isListed = (item: JSONValue): boolean => present.has(identifyItem(item, mergeKey));
  return { listed: list.filter(isListed), others: list.filter((item) => !isListed(item)) };
}

/**
 * Puts two parts of a list together: the listed items in the wanted order, all others in the current one. Where the two
 * orders meet, the current one decides; a new item comes first.
 */
function orderItems(
  listed: readonly JSONValue[],
  others: readonly JSONValue[],
  wanted: readonly JSONValue[],
  current: readonly JSONValue[],
  mergeKey: string | undefined,
): JSONValue[] {
  const wantedPositions = indexItems(wanted, mergeKey);
  const currentPositions = indexItems(current, mergeKey);
  const positionIn = (positions: ReadonlyMap<string, number>, item: JSONValue) =>
    positions.get(identifyItem(item, mergeKey));
  const by = (positions: ReadonlyMap<string, number>) => (a: JSONValue, b: JSONValue) =>
    (positionIn(positions, a) ?? positions.size) - (positionIn(positions, b) ?? positions.size);

  const left = others.toSorted(by(currentPositions));
  const right = listed.toSorted(by(wantedPositions));
  const ordered: JSONValue[] = [];
  while (left.length > 0 && right.length > 0) {
    const leftPosition = positionIn(currentPositions, left[0]!);
    const rightPosition = positionIn(currentPositions, right[0]!);
    const isLeftFirst =
      leftPosition !== undefined && rightPosition !== undefined && leftPosition < rightPosition;
    ordered.push((isLeftFirst ? left : right).shift()!);
  }
  return [...ordered, ...left, ...right];
}

/** Checks that the items of a list in a patch are in the order of its `$setElementOrder`. */
function checkOrder(
  patched: readonly JSONValue[],
  order: readonly JSONValue[],
  mergeKey: string | undefined,
): void {
  if (patched.length === 0 || order.length === 0) return;
  let at = 0;
  for (const item of patched.filter((entry) => !(isObject(entry) && directiveOf(entry) !== undefined))) {
    if (mergeKey !== undefined && at < order.length) checkKeys([item, order[at]!], mergeKey);
    while (at < order.length && identifyItem(item, mergeKey) !== identifyItem(order[at]!, mergeKey)) {
      at++;
      if (mergeKey !== undefined && at < order.length) checkKeys([order[at]!], mergeKey);
    }
    if (at === order.length)
      throw unforeseen(
        `The order in patch list:\n${goText([...patched])}\n doesn't match $setElementOrder list:\n${goText([...order])}\n`,
      );
    at++;
  }
}

/** Refuses items that lack their key. */
function checkKeys(items: readonly JSONValue[], mergeKey: string): void {
  for (const item of items) {
    if (!isObject(item)) throw wrongType("map[string]interface {}", item);
    if (memberOf(item, mergeKey) !== undefined) continue;
    const problem = `does not contain declared merge key: ${mergeKey}`;
    throw unforeseen(`map: ${goText(item)} ${problem}`);
  }
}

/** Returns the positions of items by their identity; of equal items, the first counts. */
function indexItems(items: readonly JSONValue[], mergeKey: string | undefined): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const id = identifyItem(item, mergeKey);
    if (!positions.has(id)) positions.set(id, index);
  }
  return positions;
}

/** Returns a string that is equal for equal items: of the merge key, or of the whole item in a list of plain values. */
function identifyItem(item: JSONValue, mergeKey: string | undefined): string {
  const id = mergeKey !== undefined && isObject(item) ? memberOf(item, mergeKey) : item;
  return JSON.stringify(id) ?? "";
}

function withoutDuplicates(values: readonly JSONValue[]): JSONValue[] {
  return values.filter((value, index) => values.findIndex((other) => isEqual(other, value)) === index);
}

function listIn(object: JSONObject, name: string): JSONValue[] | undefined {
  const value = memberOf(object, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType("[]interface {}", value);
}

/** Returns the `$patch` of an object or of an item of a list. */
function directiveOf(patch: JSONObject): JSONValue | undefined {
  return memberOf(patch, patchDirective);
}

function unknownDirective(directive: JSONValue, patch: JSONObject): PatchError {
  const type = typeof directive === "string" ? directive : formatAsText(directive);
  return unforeseen(`unknown patch type: ${type} in map: ${goText(patch)}`);
}

/** Formats a value that is not a string as Go's `%s` does. */
function formatAsText(value: JSONValue): string {
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "object") return goText(value);
  return `%!s(${goTypeOf(value)}=${goText(value)})`;
}

/** Removes the objects with a `$patch` from a new value; its other directives stay, and are unknown fields. */
function removePatched(value: JSONValue): JSONValue | undefined {
  if (Array.isArray(value)) {
    const kept = value.map(removePatched).filter((item) => item !== undefined);
    value.splice(0, value.length, ...kept);
  } else if (isObject(value)) {
    if (directiveOf(value) !== undefined) return undefined;
    for (const [name, member] of Object.entries(value))
      if (removePatched(member) === undefined) delete value[name];
  }
  return value;
}

/** Removes the members that `$retainKeys` doesn't name; it must name those that the patch sets. */
function applyRetainKeys(object: JSONObject, patch: JSONObject): void {
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
function goTypeOf(value: JSONValue): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Number.isInteger(value) ? "int64" : "float64";
}

/** The error of a value that should have another type. */
function wrongType(wanted: string, value: JSONValue): PatchError {
  return unforeseen(`expected a ${wanted}, but received a ${goTypeOf(value)}`);
}

function jsonType(value: JSONValue): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** An error for which the API server has no code of its own: it responds with 500. */
function unforeseen(message: string): PatchError {
  return new PatchError("unforeseen", message);
}
