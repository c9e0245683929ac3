import { goSyntax, goText } from "../../text/index.ts";
import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import { type SchemaNode, isDeclared, memberSchema } from "../schema-node.ts";
import { type Endpoint, SchemaMismatchError } from "./endpoint.ts";
import { hasElement, itemElement, shapeOf } from "./shape.ts";
import { fieldElement, formatElement, formatPath, type PathElement } from "./field-set.ts";

/**
 * Rejects an applied body with unknown fields, values of a wrong type, or duplicate items in a list map or set.
 * Without a schema, accepts everything.
 */
export function checkApplied(endpoint: Endpoint, applied: JSONObject): void {
  const mismatch = mismatchOf(applied, endpoint.schemaOf(endpoint.apiVersion));
  if (mismatch === undefined) return;
  const subject = subjectOf(endpoint, applied);
  throw new SchemaMismatchError(`failed to create typed patch object ${subject}: ${mismatch}`);
}

/**
 * Rejects a stored object that doesn't match its schema, or has items of list maps without their keys: nobody can own
 * fields of such items. `hasManagers` chooses the message: the real server first adds a manager to an object without.
 */
export function checkLive(endpoint: Endpoint, live: JSONObject, hasManagers: boolean): void {
  const { metadata: _metadata, ...content } = live;
  const mismatch = mismatchOf(content, endpoint.schemaOf(endpoint.apiVersion), { allowsDuplicates: true });
  if (mismatch === undefined) return;
  const subject = subjectOf(endpoint, live);
  const failure = hasManagers
    ? `failed to create typed live object ${subject}`
    : `failed to create manager for existing fields: failed to convert new object ${subject} to smd typed`;
  throw new SchemaMismatchError(`${failure}: ${mismatch}`);
}

/** Returns how messages name an applied object: `(default/a; apps/v1, Kind=Deployment)`. */
export function subjectOf(endpoint: Endpoint, applied: JSONObject): string {
  const metadata = isObject(applied["metadata"]) ? applied["metadata"] : {};
  const name = [metadata["namespace"], metadata["name"]].map((part) =>
    typeof part === "string" ? part : "",
  );
  return `(${name.join("/")}; ${gvkOf(endpoint)})`;
}

/** Returns how Go shows a kind: `apps/v1, Kind=Deployment`. */
export function gvkOf({ apiVersion, kind }: Endpoint): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Returns true if managed fields can't be computed for an object, because it doesn't match its schema. */
export function isUntypable(object: JSONObject, schema: SchemaNode | undefined): boolean {
  return findProblems(object, schema, true).length > 0;
}

/**
 * Returns how a value doesn't match its schema, one line per path; undefined if it matches. What is stored may
 * have duplicate items in list maps and sets, what is applied may not.
 */
export function mismatchOf(
  value: JSONValue,
  schema: SchemaNode | undefined,
  { allowsDuplicates = false }: { readonly allowsDuplicates?: boolean } = {},
): string | undefined {
  const problems = findProblems(value, schema, allowsDuplicates).sort();
  if (problems.length < 2) return problems[0];
  return `errors:\n${problems.map((text) => `  ${text}`).join("\n")}`;
}

/** A part of the path to a value: the name of a member, or the element of an item, which takes time to make. */
type PathPart = string | (() => PathElement);

/** The state of a check. Its one path grows and shrinks, and is formatted only for a problem: nearly all values match. */
interface Walk {
  readonly path: PathPart[];
  readonly allowsDuplicates: boolean;
  readonly problems: string[];
}

function findProblems(value: JSONValue, schema: SchemaNode | undefined, allowsDuplicates: boolean): string[] {
  const walk: Walk = { path: [], allowsDuplicates, problems: [] };
  checkValue(value, schema, walk);
  return walk.problems;
}

function checkValue(value: JSONValue, schema: SchemaNode | undefined, walk: Walk): void {
  if (value === null || schema === undefined) return;
  const mismatch = checkType(value, schema);
  if (mismatch !== undefined) report(walk, mismatch);
  else if (isObject(value)) checkMembers(value, schema, walk);
  else if (Array.isArray(value)) checkItems(value, schema, walk);
}

function report({ path, problems }: Walk, text: string): void {
  const elements = path.map((part) => (typeof part === "string" ? fieldElement(part) : part()));
  problems.push(`${formatPath(elements)}: ${text}`);
}

/** Like the real server, reports one unknown field of an object, and does not check the fields after it. */
function checkMembers(object: JSONObject, schema: SchemaNode, walk: Walk): void {
  for (const name of Object.keys(object)) {
    if (!acceptsMember(schema, name)) {
      walk.path.push(name);
      report(walk, "field not declared in schema");
      walk.path.pop();
      return;
    }
    const child = memberSchema(schema, name);
    const member = object[name]!;
    // Most members are scalars of the right type.
    if (!child || (typeof member !== "object" && checkType(member, child) === undefined)) continue;
    checkBelow(name, member, child, walk);
  }
}

function checkBelow(part: PathPart, value: JSONValue, schema: SchemaNode | undefined, walk: Walk): void {
  walk.path.push(part);
  checkValue(value, schema, walk);
  walk.path.pop();
}

function checkItems(list: readonly JSONValue[], schema: SchemaNode, walk: Walk): void {
  const shape = shapeOf(list as JSONValue[], schema);
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    if (shape.kind !== "list") {
      checkBelow(() => `i:${index}`, item, schema.items, walk);
      continue;
    }
    const { keys } = shape;
    if (!hasElement(item, keys, schema.items)) {
      report(walk, `element ${index}: ${explainMissingKey(item, keys)}`);
      return;
    }
    const element = (): PathElement => itemElement(item, keys, schema.items)!;
    if (!walk.allowsDuplicates) {
      if (seen.has(element())) report(walk, `duplicate entries for key ${formatElement(element())}`);
      seen.add(element());
    }
    checkBelow(element, item, schema.items, walk);
  }
}

/** Returns why an item of a list map or set has no path element, in the words of Go's library. */
function explainMissingKey(item: JSONValue, keys: readonly string[]): string {
  if (keys.length === 0) {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return "not supported: associative list with lists as elements";
    return "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const names = `[${keys.map((key) => JSON.stringify(key)).join(" ")}]`;
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`;
}

/** A struct accepts only its fields; an object without declared fields accepts any. */
function acceptsMember(schema: SchemaNode, name: string): boolean {
  if (isDeclared(schema, name) || schema["x-kubernetes-preserve-unknown-fields"]) return true;
  if (schema.additionalProperties !== undefined) return schema.additionalProperties !== false;
  return Object.keys(schema.properties ?? {}).length === 0;
}

/** Returns why a value doesn't have the type of its schema, in the words of Go's library; undefined if it does. */
function checkType(value: JSONValue, schema: SchemaNode): string | undefined {
  if (isAnyScalar(schema)) {
    return typeof value === "object" ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
  switch (schema.type) {
    case "object":
      return isObject(value) ? undefined : `expected map, got &{${goText(value)}}`;
    case "array":
      return Array.isArray(value) ? undefined : `expected list, got &{${goText(value)}}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    case "integer":
    case "number":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    default:
      return undefined;
  }
}

/**
 * A string with a format may be written as any scalar, unless it holds bytes, and so may a time. An int-or-string of a
 * custom resource has no `type`, so that any value passes; validation checks it later.
 */
function isAnyScalar(schema: SchemaNode): boolean {
  const { type, format, typeName } = schema;
  if (typeName && schema["x-kubernetes-int-or-string"]) return true;
  if (typeName === "Time" || typeName === "MicroTime") return true;
  return type === "string" && format !== undefined && format !== "" && format !== "byte";
}

/** The name of a JSON value's type in Go's decoder. */
function goType(value: JSONValue): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : "string";
}
