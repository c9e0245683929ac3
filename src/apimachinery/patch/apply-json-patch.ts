import { isEqual, isObject, type JSONObject, type JSONValue, memberOf, setMember } from "../json/index.ts";
import { type JSONPatch, type JSONPatchOperation, parseJSONPatch } from "./json-patch.ts";
import { parsePointer } from "./json-pointer.ts";
import { FailedTestError, PatchError } from "./patch-error.ts";

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
      if (operation.op === "copy") copied = addCopiedBytes(copied, document, operation);
      document = applyOperation(document, operation);
    } catch (error) {
      throw error instanceof MissingPlaceError ? explained(operation, error) : error;
    }
  }
  if (!isObject(document)) throw new PatchError("inapplicable", "the patched document is not an object");
  return document;
}

function applyOperation(document: JSONValue, operation: JSONPatchOperation): JSONValue {
  const path = pathOf(operation, "path");
  switch (operation.op) {
    case "add":
      return add(document, path, copyOfValue(operation));
    case "remove":
      return remove(document, path);
    case "replace":
      return replace(document, path, copyOfValue(operation));
    case "move": {
      const from = pathOf(operation, "from");
      const value = find(document, from);
      return add(remove(document, from), path, value);
    }
    case "copy":
      return add(document, path, structuredClone(readMember(document, sourceOf(operation))));
    case "test":
      test(document, operation, path);
      return document;
    default:
      throw new PatchError("inapplicable", `Unexpected kind: ${String((operation as { op?: unknown }).op)}`);
  }
}

function add(document: JSONValue, path: readonly string[], value: JSONValue): JSONValue {
  const last = path.at(-1);
  if (last === undefined) throw new MissingPlaceError();
  const parent = find(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(last === "-" ? parent.length : indexIn(parent, last, parent.length), 0, value);
  } else if (isObject(parent)) {
    setMember(parent, last, value);
  } else {
    throw new MissingPlaceError();
  }
  return document;
}

function remove(document: JSONValue, path: readonly string[]): JSONValue {
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) parent.splice(indexIn(parent, last, parent.length - 1), 1);
  else if (Object.hasOwn(parent, last)) delete parent[last];
  else throw new MissingPlaceError(last);
  return document;
}

/** Unlike the RFC, the API server's library can replace a member that does not exist. */
function replace(document: JSONValue, path: readonly string[], value: JSONValue): JSONValue {
  if (path.length === 0) return value;
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) parent[indexIn(parent, last, parent.length - 1)] = value;
  else setMember(parent, last, value);
  return document;
}

function test(
  document: JSONValue,
  operation: { path: string; value?: JSONValue },
  path: readonly string[],
): void {
  const expected = copyOfValue(operation);
  if (!isEqual(readMember(document, path), expected)) {
    throw new FailedTestError(operation.path);
  }
}

/** Returns a value to copy or test; null for an absent member of an existing object. */
function readMember(document: JSONValue, path: readonly string[]): JSONValue {
  if (path.length === 0) return document;
  const { parent, last } = findParent(document, path);
  if (Array.isArray(parent)) return parent[indexIn(parent, last, parent.length - 1)]!;
  return memberOf(parent, last) ?? null;
}

/** Returns the parent of a value, and the value's name or index in it. */
function findParent(
  document: JSONValue,
  path: readonly string[],
): { parent: JSONObject | JSONValue[]; last: string } {
  const last = path.at(-1);
  const parent = last === undefined ? undefined : lookUp(document, path.slice(0, -1));
  if (last === undefined || typeof parent !== "object" || parent === null) throw new MissingPlaceError();
  return { parent, last };
}

function find(document: JSONValue, path: readonly string[]): JSONValue {
  const value = lookUp(document, path);
  if (value === undefined) throw new MissingPlaceError();
  return value;
}

function lookUp(document: JSONValue, path: readonly string[]): JSONValue | undefined {
  let value: JSONValue | undefined = document;
  for (const step of path) {
    if (Array.isArray(value)) value = value[indexIn(value, step, value.length - 1)];
    else if (isObject(value)) value = memberOf(value, step);
    else return undefined;
  }
  return value;
}

function indexIn(list: readonly JSONValue[], step: string, highest: number): number {
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

/** What is copied: as in the API server's library, not the whole document, as nothing can be added in its place. */
function sourceOf(operation: JSONPatchOperation): string[] {
  const path = pathOf(operation, "from");
  if (path.length === 0) throw new MissingPlaceError();
  return path;
}

/** The value of an operation. Default: null. */
function copyOfValue(operation: { value?: JSONValue }): JSONValue {
  return structuredClone(operation.value ?? null);
}

/** Limits the total size that `copy` operations add: each of them can double the document. */
function addCopiedBytes(copied: number, document: JSONValue, operation: JSONPatchOperation): number {
  const total = copied + JSON.stringify(readMember(document, sourceOf(operation))).length;
  if (total <= maxCopiedBytes) return total;
  throw new PatchError(
    "too-large",
    `Unable to complete the copy, the accumulated size increase of copy is ${total}, exceeding the limit ${maxCopiedBytes}`,
  );
}

/** A path that does not exist in the document. */
class MissingPlaceError extends Error {
  readonly member: string | undefined;

  constructor(member?: string) {
    super("missing value");
    this.member = member;
  }
}

/** Returns the error of an operation on a missing path, in the words of the API server's library. */
function explained(operation: JSONPatchOperation, { member, message }: MissingPlaceError): PatchError {
  const { op, path } = operation;
  if (op === "remove" && member !== undefined) {
    const why = `Unable to remove nonexistent key: ${member}: ${message}`;
    return new PatchError("inapplicable", `error in remove for path: '${path}': ${why}`);
  }
  const what =
    op === "move" || op === "copy" ? `from path: ${operation.from}` : `path: ${shownPath(op, path)}`;
  return new PatchError("inapplicable", `${op} operation does not apply: doc is missing ${what}: ${message}`);
}

function shownPath(op: string, path: string): string {
  return op === "add" || op === "remove" ? JSON.stringify(path) : path;
}
