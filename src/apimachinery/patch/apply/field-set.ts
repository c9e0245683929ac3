import { type JSONObject, type JSONValue, isObject, memberOf } from "../../json/index.ts";
import { compareText, goJSON } from "../../text/index.ts";

/**
 * A set of field paths as a tree: a node says whether its own path is in the set, and has the nodes below it. Sets are
 * immutable, and have no empty children.
 */
export interface FieldSet {
  readonly owned: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/** The set without paths. */
export const emptySet: FieldSet = { owned: false, children: noChildren };

/** A path in the set with nothing below it. */
export const ownedLeaf: FieldSet = { owned: true, children: noChildren };

/** Creates a node; omits empty children. */
export function fieldSet(owned: boolean, children: Iterable<readonly [PathElement, FieldSet]>): FieldSet {
  let kept: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of children) if (!isEmptySet(child)) (kept ??= new Map()).set(element, child);
  if (!kept) return owned ? ownedLeaf : emptySet;
  return { owned, children: kept };
}

/** Returns the set of some paths. */
export function fieldSetOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  return paths.map(pathSet).reduce(union, emptySet);
}

function pathSet(path: readonly PathElement[]): FieldSet {
  return path.reduceRight<FieldSet>((child, element) => fieldSet(false, [[element, child]]), ownedLeaf);
}

/** Returns true if a set has no paths. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.owned && set.children.size === 0;
}

/** Returns true if two sets have the same paths. */
export function isEqualSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children.size !== b.children.size) return false;
  return [...a.children].every(([element, child]) => isEqualSet(child, childOf(b, element)));
}

/** Returns the part of a set below a path element, with that element as the root. */
export function childOf(set: FieldSet, element: PathElement): FieldSet {
  return set.children.get(element) ?? emptySet;
}

/** Returns the paths that are in at least one of the sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || a === b) return b;
  if (isEmptySet(b)) return a;
  const children = new Map(a.children);
  for (const [element, child] of b.children) children.set(element, union(childOf(a, element), child));
  return fieldSet(a.owned || b.owned, children);
}

/** Returns the paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(a)) return a;
  return mapChildren(a, a.owned && b.owned, (child, element) => intersection(child, childOf(b, element)));
}

/** Returns the paths of the first set that are not in the second; paths below one in the second stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return mapChildren(a, a.owned && !b.owned, (child, element) => difference(child, childOf(b, element)));
}

/** Returns the paths of the first set that are neither in the second nor below one of its paths. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.owned) return emptySet;
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return mapChildren(a, a.owned, (child, element) => differenceBelow(child, childOf(b, element)));
}

/** Returns a set with other children; the set itself, whose encoding is cached, if nothing changes. */
function mapChildren(
  set: FieldSet,
  owned: boolean,
  map: (child: FieldSet, element: PathElement) => FieldSet,
): FieldSet {
  let isChanged = owned !== set.owned;
  const children: (readonly [PathElement, FieldSet])[] = [];
  for (const [element, child] of set.children) {
    const next = map(child, element);
    if (next !== child) isChanged = true;
    children.push([element, next]);
  }
  return isChanged ? fieldSet(owned, children) : set;
}

/** Lists the paths of a set in the order of `fieldsV1`, parents first. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const below = sortedChildren(set).flatMap(([element, child]) => pathsOf(child, [...prefix, element]));
  return set.owned ? [[...prefix], ...below] : below;
}

/** Returns the children of a node in the order of `fieldsV1`. */
function sortedChildren(set: FieldSet): (readonly [PathElement, FieldSet])[] {
  const children = [...set.children];
  return children.length < 2 ? children : children.sort(([a], [b]) => compareElements(a, b));
}

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
  if (set.children.size === 0) return {};
  const encoded: JSONObject = set.owned ? { ".": {} } : {};
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

/**
 * An element of a field path, in the notation of `fieldsV1`: `f:name` is a member, `k:{"name":"a"}` an item of a list
 * map, `v:"x"` an item of a set, `i:0` an index. Equal elements are equal strings.
 */
export type PathElement = string;

/** Returns the path element of an object's member. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** Returns the path element of a list map's item; the keys are sorted. */
export function keyElement(keys: JSONObject): PathElement {
  return `k:${canonicalJSON(keys)}`;
}

/** Returns the path element of a set's item. */
export function valueElement(value: JSONValue): PathElement {
  return `v:${canonicalJSON(value)}`;
}

/** Parses a path element of `fieldsV1` and normalizes it; returns `undefined` if it is invalid. */
function parseElement(text: string): PathElement | undefined {
  const body = text.slice(2);
  try {
    if (text.startsWith("f:")) return text;
    if (text.startsWith("v:")) return valueElement(JSON.parse(body) as JSONValue);
    if (text.startsWith("i:")) return /^-?\d+$/.test(body) ? `i:${Number(body)}` : undefined;
    if (text.startsWith("k:")) {
      const keys = JSON.parse(body) as JSONValue;
      return isObject(keys) ? keyElement(keys) : undefined;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Returns the member's name, if the path element is one of a member. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** Formats a path as in messages: `.spec.containers[name="a"].image`. */
export function formatPath(path: readonly PathElement[]): string {
  return path.map(formatElement).join("");
}

/** Formats a path element as in messages. */
export function formatElement(element: PathElement): string {
  const body = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${body}`;
    case "v":
      return `[=${formatKey(JSON.parse(body) as JSONValue)}]`;
    case "k":
      return `[${Object.entries(JSON.parse(body) as JSONObject)
        .map(([name, value]) => `${name}=${formatKey(value)}`)
        .join(",")}]`;
    default:
      return `[${body}]`;
  }
}

/** Formats a key or value as in messages. Go's library writes the members of a map without anything between them. */
function formatKey(value: JSONValue): string {
  if (Array.isArray(value)) return `[${value.map(formatKey).join(",")}]`;
  if (!isObject(value)) return scalarText(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${formatKey(member)}`)
    .join("");
}

/** Compares path elements by their order in `fieldsV1`: members, keys, values, indexes, each sorted. */
function compareElements(a: PathElement, b: PathElement): number {
  if (a[0] === "f" && b[0] === "f") return compareText(a, b);
  const kinds = "fkvi";
  const byKind = kinds.indexOf(a[0]!) - kinds.indexOf(b[0]!);
  if (byKind !== 0) return byKind;
  return compareJSON(JSON.parse(a.slice(2)) as JSONValue, JSON.parse(b.slice(2)) as JSONValue);
}

function compareJSON(a: JSONValue, b: JSONValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (isObject(a) && isObject(b)) return compareKeys(a, b);
  return compareText(JSON.stringify(a), JSON.stringify(b));
}

function compareKeys(a: JSONObject, b: JSONObject): number {
  const names = Object.keys(a);
  const others = Object.keys(b);
  for (const [index, name] of names.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = compareText(name, other) || compareJSON(memberOf(a, name)!, memberOf(b, other)!);
    if (order !== 0) return order;
  }
  return names.length - others.length;
}

/** Encodes a value as Go does: sorted keys, and `<`, `>`, `&` escaped. */
function canonicalJSON(value: JSONValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(",")}]`;
  if (typeof value === "string") return goJSON(value);
  if (!isObject(value)) return scalarText(value);
  const members = Object.keys(value)
    .sort(compareText)
    .map((name) => `${goJSON(name)}:${canonicalJSON(memberOf(value, name)!)}`);
  return `{${members.join(",")}}`;
}

/** Encodes a scalar as Go does, which writes an exponent with two digits: `1e-07`. */
function scalarText(value: string | number | boolean | null): string {
  const text = JSON.stringify(value);
  return typeof value === "number" ? text.replace(/e-(\d)$/, "e-0$1") : text;
}
