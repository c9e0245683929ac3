import { isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import { compareText, goJSON } from "../../text/index.ts";

/**
 * An element of a field path, in the notation of `fieldsV1`: `f:name` is a member, `k:{"name":"a"}` an item of a list
 * map, `v:"x"` an item of a set, `i:0` an index. Equal elements are equal strings.
 */
export type PathElement = string;

/** The path element of an object's member. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The path element of a list map's item; the keys are sorted. */
export function keyElement(keys: JSONObject): PathElement {
  return `k:${canonicalJSON(keys)}`;
}

/** The path element of a set's item. */
export function valueElement(value: JSONValue): PathElement {
  return `v:${canonicalJSON(value)}`;
}

/** Parses a path element of `fieldsV1` and normalizes it; returns `undefined` if it is invalid. */
export function parseElement(text: string): PathElement | undefined {
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
      return `[=${keyText(JSON.parse(body) as JSONValue)}]`;
    case "k":
      return `[${Object.entries(JSON.parse(body) as JSONObject)
        .map(([name, value]) => `${name}=${keyText(value)}`)
        .join(",")}]`;
    default:
      return `[${body}]`;
  }
}

/** Go's library writes the members of a map without anything between them. */
function keyText(value: JSONValue): string {
  if (Array.isArray(value)) return `[${value.map(keyText).join(",")}]`;
  if (!isObject(value)) return scalarText(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${keyText(member)}`)
    .join("");
}

/** Compares path elements by their order in `fieldsV1`: members, keys, values, indexes, each sorted. */
export function compareElements(a: PathElement, b: PathElement): number {
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

/** The JSON of Go, which escapes signs of markup. */
function canonicalJSON(value: JSONValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(",")}]`;
  if (typeof value === "string") return goJSON(value);
  if (!isObject(value)) return scalarText(value);
  const members = Object.keys(value)
    .sort(compareText)
    .map((name) => `${goJSON(name)}:${canonicalJSON(memberOf(value, name)!)}`);
  return `{${members.join(",")}}`;
}

/** Go writes an exponent with two digits: `1e-07`. */
function scalarText(value: string | number | boolean | null): string {
  const text = JSON.stringify(value);
  return typeof value === "number" ? text.replace(/e-(\d)$/, "e-0$1") : text;
}
