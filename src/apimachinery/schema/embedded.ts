import { type JSONObject, isObject } from "../json/index.ts";
import { type FieldError, invalid, joinPath, required } from "../errors/index.ts";
import { checkLabel, checkLabel1035, checkLabelValue, checkQualifiedName } from "../naming/index.ts";
import { type JSONSchema, itemsOf, memberSchema, valuesOf } from "./json-schema.ts";
import { isApiVersion } from "../meta/index.ts";
import { MalformedMetadataError, decodeMetadata } from "./decode-metadata.ts";
import { mapList, mapObject } from "./copy-on-write.ts";
import type { Shape } from "./prune.ts";

/** Returns the errors in apiVersion, kind and metadata of embedded resources. */
export function checkEmbedded(value: unknown, schema: JSONSchema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  checkValue(value, schema, path, errors);
  return errors;
}

function checkValue(value: unknown, schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items) value.forEach((item, index) => checkValue(item, items, `${path}[${index}]`, errors));
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"]) checkResource(value, path, errors);
  for (const [key, item] of Object.entries(value)) {
    const child = memberSchema(schema, key);
    if (!child || typeof item !== "object" || item === null) continue;
    const isProperty = Object.hasOwn(schema.properties ?? {}, key);
    checkValue(item, child, isProperty ? joinPath(path, key) : `${path}[${key}]`, errors);
  }
}

function checkResource(resource: JSONObject<unknown>, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = resource;
  if (apiVersion === undefined) errors.push(required(joinPath(path, "apiVersion")));
  if (kind === undefined) errors.push(required(joinPath(path, "kind")));
  if (apiVersion !== undefined) checkAPIVersion(apiVersion, joinPath(path, "apiVersion"), errors);
  if (kind !== undefined) checkKind(kind, joinPath(path, "kind"), errors);
  if (metadata !== undefined) checkRawMetadata(metadata, joinPath(path, "metadata"), errors);
}

function checkAPIVersion(apiVersion: unknown, path: string, errors: FieldError[]): void {
  if (typeof apiVersion !== "string") errors.push(invalid(path, apiVersion, "must be a string"));
  else if (apiVersion === "") errors.push(invalid(path, apiVersion, "must not be empty"));
  else if (apiVersion.split("/").length > 2) {
    errors.push(invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
}

function checkKind(kind: unknown, path: string, errors: FieldError[]): void {
  if (typeof kind !== "string") errors.push(invalid(path, kind, "must be a string"));
  else if (kind === "") errors.push(invalid(path, kind, "must not be empty"));
  else {
    const reasons = checkLabel1035(kind.toLowerCase());
    if (reasons.length === 0) return;
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    errors.push(invalid(path, kind, detail));
  }
}

/** Decodes metadata, which a default or a webhook may have changed since the request was decoded, and checks it. */
function checkRawMetadata(metadata: unknown, path: string, errors: FieldError[]): void {
  try {
    checkMetadata(decodeMetadata(metadata, path).metadata, path, errors);
  } catch (error) {
    if (!(error instanceof MalformedMetadataError)) throw error;
    errors.push(invalid(path, metadata, error.message));
  }
}

/** Checks decoded metadata of a resource of unknown kind: its name only has to be a valid path segment. */
function checkMetadata(metadata: JSONObject<unknown>, path: string, errors: FieldError[]): void {
  const { name, generateName, namespace, generation } = metadata;
  const report = (field: string, value: unknown, reasons: readonly string[]): void => {
    for (const reason of reasons) errors.push(invalid(`${path}.${field}`, value, reason));
  };
  if (typeof generateName === "string")
    report("generateName", generateName, checkPathSegmentPrefix(generateName));
  if (typeof name === "string" && name !== "") report("name", name, checkPathSegment(name));
  if (typeof namespace === "string" && namespace !== "")
    report("namespace", namespace, checkLabel(namespace));
  if (typeof generation === "number" && generation < 0) {
    report("generation", generation, ["must be greater than or equal to 0"]);
  }
  for (const [key, value] of stringEntries(metadata["labels"])) {
    report("labels", key, checkQualifiedName(key));
    report("labels", value, checkLabelValue(value));
  }
  for (const [key] of stringEntries(metadata["annotations"])) {
    report("annotations", key, checkQualifiedName(key.toLowerCase()));
  }
  checkOwners(metadata["ownerReferences"], path, errors);
  checkManagers(metadata["managedFields"], path, errors);
}

function stringEntries(value: unknown): [string, string][] {
  return isObject(value) ? (Object.entries(value) as [string, string][]) : [];
}

function checkPathSegment(name: string): string[] {
  return name === "." || name === ".." ? [`may not be '${name}'`] : checkPathSegmentPrefix(name);
}

function checkPathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** As in the API server, the field of an error has no index of the owner reference. */
function checkOwners(owners: unknown, path: string, errors: FieldError[]): void {
  for (const owner of Array.isArray(owners) ? owners : []) {
    const { apiVersion = "", ...fields } = owner as JSONObject<unknown>;
    const field = `${path}.ownerReferences`;
    if (!isApiVersion(String(apiVersion)))
      errors.push(invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    for (const name of ["kind", "name", "uid"]) {
      if (!fields[name]) errors.push(invalid(`${field}.${name}`, "", "must not be empty"));
    }
  }
}

function checkManagers(managers: unknown, path: string, errors: FieldError[]): void {
  (Array.isArray(managers) ? managers : []).forEach((entry: JSONObject<unknown>, index) => {
    const operation = entry["operation"] ?? "";
    if (operation === "Apply" || operation === "Update") return;
    const field = `${path}.managedFields[${index}].operation`;
    errors.push(invalid(field, operation, "must be `Apply` or `Update`"));
  });
}

/** Returns true if a schema has an embedded resource anywhere. */
export function hasEmbedded(schema: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema["x-kubernetes-embedded-resource"]) return true;
  const children = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
  return children.some((child) => child !== undefined && hasEmbedded(child, seen));
}

/** An object with coerced embedded resources, and the paths of their unknown fields. */
interface Coerced {
  readonly object: unknown;
  readonly unknown: readonly string[];
  /** The error if the object can't be decoded at all. */
  readonly malformed?: FieldError;
}

/** Coerces type and metadata of embedded resources to the form in which they are stored. */
export function coerceEmbedded(object: unknown, shape: Shape): Coerced {
  const unknown: string[] = [];
  try {
    return { object: coerce(object, shape, "", unknown), unknown };
  } catch (error) {
    if (error instanceof MalformedFieldError) return { object, unknown: [], malformed: error.error };
    throw error;
  }
}

/** Ends the walk at the first malformed resource. */
class MalformedFieldError extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.body);
    this.error = error;
  }
}

function coerce(value: unknown, shape: Shape, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? mapList(value, (item, index) => coerce(item, items, `${path}[${index}]`, unknown)) : value;
  }
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => {
    const at = path === "" ? key : `${path}.${key}`;
    const coerced = shape.embedded ? coerceTypeField(key, item, at, unknown) : item;
    const child = shape.properties.get(key) ?? shape.values;
    return child ? coerce(coerced, child, at, unknown) : coerced;
  });
}

function coerceTypeField(key: string, value: unknown, path: string, unknown: string[]): unknown {
  if (key === "apiVersion" || key === "kind") {
    if (typeof value !== "string") throw new MalformedFieldError(invalid(path, value, "must be a string"));
    return value;
  }
  if (key !== "metadata") return value;
  try {
    const decoded = decodeMetadata(value, path);
    unknown.push(...decoded.unknown);
    return decoded.metadata;
  } catch (error) {
    if (error instanceof MalformedMetadataError)
      throw new MalformedFieldError(invalid(path, value, error.message));
    throw error;
  }
}
