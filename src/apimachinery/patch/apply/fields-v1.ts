import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import { emptySet, type FieldSet, fieldSet, ownedLeaf, sortedChildren, union } from "./field-set.ts";
import { type PathElement, parseElement } from "./path-element.ts";

/**
 * Caches of encoded and decoded sets, because most writes don't change most managers. Neither form is ever modified in
 * place.
 */
const encodings = new WeakMap<FieldSet, JSONObject>();
const decodings = new WeakMap<JSONObject, FieldSet>();

/**
 * Encodes a set as `fieldsV1`: an object of path elements. A path in the set that has others below it has a member `.`;
 * one without is an empty object.
 */
export function encodeFieldsV1(set: FieldSet): JSONObject {
  const known = encodings.get(set);
  if (known) return known;
  const encoded = encodeNode(set);
  encodings.set(set, encoded);
  decodings.set(encoded, set);
  return encoded;
}

/** Decodes `fieldsV1`; returns `undefined` if it is not a set of fields. */
export function decodeFieldsV1(fields: JSONValue | undefined): FieldSet | undefined {
  if (!isObject(fields)) return undefined;
  if (Object.keys(fields).length === 0) return emptySet;
  const known = decodings.get(fields);
  if (known) return known;
  const decoded = decodeNode(fields);
  if (decoded) decodings.set(fields, decoded);
  return decoded;
}

function encodeNode(set: FieldSet): JSONObject {
  const encoded: JSONObject = set.owned && set.children.size > 0 ? { ".": {} } : {};
  for (const [element, child] of sortedChildren(set)) encoded[element] = encodeNode(child);
  return encoded;
}

function decodeNode(node: JSONValue): FieldSet | undefined {
  if (!isObject(node)) return undefined;
  const children = new Map<PathElement, FieldSet>();
  let owned = false;
  for (const [text, below] of Object.entries(node)) {
    if (text === ".") {
      owned = true;
      continue;
    }
    const element = parseElement(text);
    const child = element === undefined ? undefined : decodeNode(below);
    if (element === undefined || child === undefined) return undefined;
    children.set(element, union(children.get(element) ?? emptySet, child));
  }
  return children.size === 0 ? ownedLeaf : fieldSet(owned, children);
}
