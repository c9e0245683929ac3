import type { JSONValue } from "@tsbuilder/apimachinery/meta";
import { isObject, type JSONObject } from "../json.ts";
import { emptySet, type FieldSet, fieldSet, ownedLeaf, sortedChildren, union } from "./field-set.ts";
import { type PathElement, parseElement } from "./path-element.ts";

/**
 * Writes a set as `fieldsV1`: an object of steps. A path that is in the set and has others below it says so by
 * a member `.`; one without any below it is an empty object.
 */
export function encodeFieldsV1(set: FieldSet): JSONObject {
  const encoded: JSONObject = set.owned && set.children.size > 0 ? { ".": {} } : {};
  for (const [element, child] of sortedChildren(set)) encoded[element] = encodeFieldsV1(child);
  return encoded;
}

/** Reads `fieldsV1`; `undefined` if it is not a set of fields. */
export function decodeFieldsV1(fields: JSONValue | undefined): FieldSet | undefined {
  if (!isObject(fields)) return undefined;
  if (Object.keys(fields).length === 0) return emptySet;
  return decodeNode(fields);
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
