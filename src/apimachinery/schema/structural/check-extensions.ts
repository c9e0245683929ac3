import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/index.ts";
import { hasDefault } from "../apply-defaults.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";

/** Checks `x-kubernetes-list-type`, `-list-map-keys`, `-map-type` and `-preserve-unknown-fields`. */
export function checkExtensions(schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  checkKind(schema, "x-kubernetes-map-type", "object", ["atomic", "granular"], path, errors);
  checkKind(schema, "x-kubernetes-list-type", "array", ["atomic", "set", "map"], path, errors);
  checkMapKeys(schema, path, errors);
  checkListMap(schema, path, errors);
  checkItemsOfSetsAndMaps(schema, path, errors);
}

function checkKind(
  schema: JSONSchema,
  name: "x-kubernetes-map-type" | "x-kubernetes-list-type",
  type: string,
  allowed: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const value = schema[name];
  if (value === undefined) return;
  if (schema.type !== type) {
    const detail = `must be ${type} if ${name} is specified`;
    errors.push(
      schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail),
    );
  } else if (value === "set") {
    checkSetItems(itemsOf(schema), path, errors);
  }
  if (!allowed.includes(value)) errors.push(notSupported(`${path}.${name}`, value, allowed));
}

/** Items of a set are compared as a whole, so they must be atomic. */
function checkSetItems(items: JSONSchema | undefined, path: string, errors: FieldError[]): void {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    errors.push(invalid(`${path}.items.x-kubernetes-list-type`, listType, detail));
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    errors.push(invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, detail));
  }
}

function checkMapKeys(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const listType = schema["x-kubernetes-list-type"];
  if (keys.length === 0 || listType === "map") return;
  const at = `${path}.x-kubernetes-list-type`;
  const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
  errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
}

function checkListMap(schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (schema["x-kubernetes-list-type"] !== "map") return;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  const items = itemsOf(schema);
  if (!items) {
    errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, items.type ?? "", detail));
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) errors.push(invalid(at, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (seen.has(key)) errors.push(invalid(at, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
}

function checkItemsOfSetsAndMaps(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const listType = schema["x-kubernetes-list-type"];
  const items = itemsOf(schema);
  if (!items || (listType !== "set" && listType !== "map")) return;
  if (items.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${path}.items.nullable`, detail));
  }
  if (listType !== "map") return;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = items.properties?.[key];
    if (!property) continue;
    const at = `${path}.items.properties[${key}]`;
    const isKey = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required?.includes(key) && !hasDefault(property)) {
      errors.push(required(`${at}.default`, `${isKey} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(forbidden(`${at}.nullable`, `${isKey} cannot be nullable`));
  }
}
