import type { JSONObject, JSONValue } from "../json/index.ts";
import { isEqual, isObject, memberOf, setMember, unionOfKeys } from "../json/index.ts";
import { FailedTestError, PatchError, undecodable } from "./patch-error.ts";

/** One operation of a JSON patch (RFC 6902). */
export type JSONPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: JSONValue }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** A JSON patch (RFC 6902): operations in the order in which they are applied. */
export type JSONPatch = JSONPatchOperation[];

/** The API server's limit of operations in one patch. */
export const maxJSONPatchOperations = 10_000;

/** Checks that a decoded body is a JSON patch. */
export function parseJSONPatch(body: unknown): JSONPatch {
  if (!Array.isArray(body)) throw undecodable(body, "[]handlers.jsonPatchOp");
  if (body.length > maxJSONPatchOperations) {
    const limit = `The allowed maximum operations in a JSON patch is ${maxJSONPatchOperations}`;
    throw new PatchError("too-large", `${limit}, got ${body.length}`);
  }
  return body.map((operation) => {
    if (!isObject(operation)) throw undecodable(operation, "handlers.jsonPatchOp");
    return operation as JSONPatchOperation;
  });
}

/**
 * Splits a JSON pointer (RFC 6901) into its unescaped tokens; `""` is the whole document.
 * As on the API server, text before the first slash is ignored.
 */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Formats tokens as a JSON pointer (RFC 6901). */
export function formatPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The bytes that the `copy` operations of one patch may add: the limit of a request body. */
export const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902) atomically and returns the new object.
 * As on the API server, negative indexes count from the end.
 */
export function applyJSONPatch(object: JSONObject, patch: JSONPatch): JSONObject {
  let document: JSONValue = structuredClone(object);
  let copied = 0;
  for (const operation of parseJSONPatch(patch)) {
    try {
      if (operation.op === "copy") copied = countCopiedBytes(copied, document, operation);
      document = applyOperation(document, operation);
    } catch (error) {
      throw error instanceof MissingValueError ? describeMissing(operation, error) : error;
    }
  }
  if (!isObject(document)) throw new PatchError("inapplicable", "the patched document is not an object");
  return document;
}

function applyOperation(document: JSONValue, operation: JSONPatchOperation): JSONValue {
  const path = pathOf(operation, "path");
  switch (operation.op) {
    case "add":
      return add(document, path, copyValue(operation));
    case "remove":
      return remove(document, path);
    case "replace":
      return replace(document, path, copyValue(operation));
    case "move": {
      const from = pathOf(operation, "from");
      const value = find(document, from);
      return add(remove(document, from), path, value);
    }
    case "copy":
      return add(document, path, structuredClone(readMember(document, sourceOf(operation))));
    case "test":
      if (isEqual(readMember(document, path), copyValue(operation))) return document;
      throw new FailedTestError(operation.path);
    default:
      throw new PatchError("inapplicable", `Unexpected kind: ${String((operation as { op?: unknown }).op)}`);
  }
}

function add(document: JSONValue, path: readonly string[], value: JSONValue): JSONValue {
  const last = path.at(-1);
  if (last === undefined) throw new MissingValueError();
  const parent = find(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(last === "-" ? parent.length : resolveIndex(parent, last, parent.length), 0, value);
  } else if (isObject(parent)) {
    setMember(parent, last, value);
  } else {
    throw new MissingValueError();
  }
  return document;
}

function remove(document: JSONValue, path: readonly string[]): JSONValue {
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) parent.splice(resolveIndex(parent, last, parent.length - 1), 1);
  else if (Object.hasOwn(parent, last)) delete parent[last];
  else throw new MissingValueError(last);
  return document;
}

/** Unlike the RFC, the API server's library can replace a member that does not exist. */
function replace(document: JSONValue, path: readonly string[], value: JSONValue): JSONValue {
  if (path.length === 0) return value;
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) parent[resolveIndex(parent, last, parent.length - 1)] = value;
  else setMember(parent, last, value);
  return document;
}

/** Returns a value to copy or test; null for an absent member of an existing object. */
function readMember(document: JSONValue, path: readonly string[]): JSONValue {
  if (path.length === 0) return document;
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) return parent[resolveIndex(parent, last, parent.length - 1)]!;
  return memberOf(parent, last) ?? null;
}

/** Returns the parent of a value, and the value's name or index in it. */
function findParent(document: JSONValue, path: readonly string[]) {
  const last = path.at(-1);
  const parent = last === undefined ? undefined : lookUp(document, path.slice(0, -1));
  if (last === undefined || typeof parent !== "object" || parent === null) throw new MissingValueError();
  return { parent, last };
}

/** Returns the value at a path. Throws a MissingValueError if there is none. */
function find(document: JSONValue, path: readonly string[]): JSONValue {
  const value = lookUp(document, path);
  if (value === undefined) throw new MissingValueError();
  return value;
}

/** Returns the value at a path; undefined if a member or its parent does not exist. */
function lookUp(document: JSONValue, path: readonly string[]): JSONValue | undefined {
  let value: JSONValue | undefined = document;
  for (const step of path) {
    if (Array.isArray(value)) value = value[resolveIndex(value, step, value.length - 1)];
    else if (isObject(value)) value = memberOf(value, step);
    else return undefined;
  }
  return value;
}

/** Returns the position that a step of a path means; negative indexes count from the end. Throws if it is too high. */
function resolveIndex(list: readonly JSONValue[], step: string, highest: number): number {
  const index = /^(0|-?[1-9]\d*)$/.test(step) ? Number(step) : Number.NaN;
  const position = index < 0 ? index + highest + 1 : index;
  if (position >= 0 && position <= highest) return position;
  throw new PatchError("inapplicable", `invalid array index ${step} in a list of ${list.length}`);
}

function pathOf(operation: JSONPatchOperation, member: "path" | "from"): string[] {
  const pointer = (operation as { path?: unknown; from?: unknown })[member];
  if (typeof pointer === "string") return parsePointer(pointer);
  throw new PatchError("inapplicable", `${operation.op} operation without "${member}"`);
}

/** Finds the value to copy. As in the API server's library, it is not the whole document, which nothing can replace. */
function sourceOf(operation: JSONPatchOperation): string[] {
  const path = pathOf(operation, "from");
  if (path.length === 0) throw new MissingValueError();
  return path;
}

/** Returns a copy of the value of an operation. Default: null. */
function copyValue(operation: { value?: JSONValue }): JSONValue {
  return structuredClone(operation.value ?? null);
}

/** Limits the total size that `copy` operations add: each of them can double the document. */
function countCopiedBytes(copied: number, document: JSONValue, operation: JSONPatchOperation): number {
  const total = copied + JSON.stringify(readMember(document, sourceOf(operation))).length;
  if (total <= maxCopiedBytes) return total;
  const increase = `the accumulated size increase of copy is ${total}, exceeding the limit ${maxCopiedBytes}`;
  throw new PatchError("too-large", `Unable to complete the copy, ${increase}`);
}

/** A path that does not exist in the document. */
class MissingValueError extends Error {
  readonly member: string | undefined;

  constructor(member?: string) {
    super("missing value");
    this.member = member;
  }
}

/** Returns the error of an operation on a missing path, in the words of the API server's library. */
function describeMissing(operation: JSONPatchOperation, { member, message }: MissingValueError): PatchError {
  const { op, path } = operation;
  if (op === "remove" && member !== undefined) {
    const reason = `Unable to remove nonexistent key: ${member}: ${message}`;
    return new PatchError("inapplicable", `error in remove for path: '${path}': ${reason}`);
  }
  const quoted = op === "add" || op === "remove" ? JSON.stringify(path) : path;
  const missing = op === "move" || op === "copy" ? `from path: ${operation.from}` : `path: ${quoted}`;
  const reason = `doc is missing ${missing}: ${message}`;
  return new PatchError("inapplicable", `${op} operation does not apply: ${reason}`);
}

/**
 * Returns a JSON patch (RFC 6902) from one object to another; `[]` if they are equal.
 * It changes only what differs; in lists, it skips the common start and end.
 */
export function createJSONPatch(from: object, to: object): JSONPatch {
  return diff(from as JSONValue, to as JSONValue, []);
}

/** The tokens of a path, unescaped. */
type Steps = readonly (string | number)[];

function diff(from: JSONValue, to: JSONValue, steps: Steps): JSONPatch {
  if (isEqual(from, to)) return [];
  if (isObject(from) && isObject(to)) return diffObjects(from, to, steps);
  if (Array.isArray(from) && Array.isArray(to)) return diffLists(from, to, steps);
  return [{ op: "replace", path: formatPointer(steps), value: to }];
}

function diffObjects(from: JSONObject, to: JSONObject, steps: Steps): JSONPatch {
  return unionOfKeys(from, to).flatMap((key): JSONPatch => {
    const before = memberOf(from, key);
    const after = memberOf(to, key);
    const path = formatPointer([...steps, key]);
    if (after === undefined) return before === undefined ? [] : [{ op: "remove", path }];
    if (before === undefined) return [{ op: "add", path, value: after }];
    return diff(before, after, [...steps, key]);
  });
}

function diffLists(from: JSONValue[], to: JSONValue[], steps: Steps): JSONPatch {
  const head = countCommonStart(from, to);
  const tail = countCommonEnd(from.slice(head), to.slice(head));
  const before = from.slice(head, from.length - tail);
  const after = to.slice(head, to.length - tail);
  const replaced = Math.min(before.length, after.length);

  const changed = before
    .slice(0, replaced)
    .flatMap((item, index) => diff(item, after[index]!, [...steps, head + index]));
  const removed = before
    .slice(replaced)
    .map(() => ({ op: "remove" as const, path: formatPointer([...steps, head + replaced]) }));
  const added = after.slice(replaced).map((value, index) => ({
    op: "add" as const,
    path: formatPointer([...steps, head + replaced + index]),
    value,
  }));
  return [...changed, ...removed, ...added];
}

function countCommonStart(a: readonly JSONValue[], b: readonly JSONValue[]): number {
  let length = 0;
  while (length < a.length && length < b.length && isEqual(a[length], b[length])) length++;
  return length;
}

function countCommonEnd(a: readonly JSONValue[], b: readonly JSONValue[]): number {
  return countCommonStart(a.toReversed(), b.toReversed());
}
