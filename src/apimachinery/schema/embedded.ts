import { type JSONObject, isObject } from "../json/index.ts";
import { type FieldError, invalid, joinPath, required } from "../errors/index.ts";
import { checkLabel, checkLabel1035, checkLabelValue, checkQualifiedName } from "../naming/index.ts";
import { type JSONSchema, itemsOf, memberSchema, valuesOf } from "./json-schema.ts";
import { isApiVersion } from "../meta/index.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import type { Shape } from "./prune.ts";
import { quote } from "../text/index.ts";

/** Returns the errors in apiVersion, kind and metadata of embedded resources. */
export function checkEmbedded(value: unknown, schema: JSONSchema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  checkValue(value, schema, path, errors);
  return errors;
}

/** Returns true if a schema has an embedded resource anywhere. */
export function hasEmbedded(schema: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema["x-kubernetes-embedded-resource"]) return true;
  const children = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
  return children.some((child) => child !== undefined && hasEmbedded(child, seen));
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

/** Decodes and checks metadata: that from a default or a webhook has not been decoded yet. */
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

function checkPathSegment(name: string): string[] {
  return name === "." || name === ".." ? [`may not be '${name}'`] : checkPathSegmentPrefix(name);
}

function checkPathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
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

/** Decoded metadata, and its unknown fields. */
export interface DecodedMetadata {
  readonly metadata: JSONObject<unknown>;
  readonly unknown: readonly string[];
}

/** Metadata that can't be decoded; the message is that of Go's decoder. */
export class MalformedMetadataError extends Error {}

/** How a field of metadata is decoded. */
type FieldType = "string" | "int64" | "bool" | "time" | "raw" | "map" | "[]string" | Struct;

/** A list of structs; fields in `kept` are encoded even if they are empty. */
interface Struct {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly kept?: ReadonlySet<string>;
}

const ownerReference: Struct = {
  name: "OwnerReference",
  fields: {
    apiVersion: "string",
    kind: "string",
    name: "string",
    uid: "string",
    controller: "bool",
    blockOwnerDeletion: "bool",
  },
  kept: new Set("apiVersion kind name uid controller blockOwnerDeletion".split(" ")),
};

const managedFieldsEntry: Struct = {
  name: "ManagedFieldsEntry",
  fields: {
    manager: "string",
    operation: "string",
    apiVersion: "string",
    time: "time",
    fieldsType: "string",
    fieldsV1: "raw",
    subresource: "string",
  },
  kept: new Set(["fieldsV1"]),
};

const objectMeta: Struct = {
  name: "ObjectMeta",
  fields: {
    name: "string",
    generateName: "string",
    namespace: "string",
    selfLink: "string",
    uid: "string",
    resourceVersion: "string",
    generation: "int64",
    creationTimestamp: "time",
    deletionTimestamp: "time",
    deletionGracePeriodSeconds: "int64",
    labels: "map",
    annotations: "map",
    ownerReferences: ownerReference,
    finalizers: "[]string",
    managedFields: managedFieldsEntry,
  },
  kept: new Set(["deletionGracePeriodSeconds"]),
};

/** Decodes metadata as the API server does: drops unknown fields and empty values, throws on wrong types. */
export function decodeMetadata(metadata: unknown, path: string): DecodedMetadata {
  const unknown: string[] = [];
  if (metadata === null) return { metadata: {}, unknown };
  if (!isObject(metadata)) {
    const type = jsonType(metadata);
    throw new MalformedMetadataError(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`);
  }
  return { metadata: decodeStruct(metadata, objectMeta, path, unknown), unknown };
}

function decodeStruct(
  object: JSONObject<unknown>,
  struct: Struct,
  path: string,
  unknown: string[],
): JSONObject<unknown> {
  return mapObject(object, (value, key) => {
    const field = Object.hasOwn(struct.fields, key) ? struct.fields[key]! : undefined;
    if (field === undefined) {
      unknown.push(`${path}.${key}`);
      return dropped;
    }
    // Most fields are strings, which need no decoding.
    if (field === "string" && typeof value === "string" && value !== "") return value;
    const decoded =
      value === null ? null : decodeField(value, field, `${struct.name}.${key}`, `${path}.${key}`, unknown);
    return isEmpty(decoded) && !(struct.kept?.has(key) && decoded !== null) ? dropped : decoded;
  });
}

function decodeField(
  value: unknown,
  field: FieldType,
  name: string,
  path: string,
  unknown: string[],
): unknown {
  const fail = (actual: unknown, type: string): never => {
    const target = `Go struct field ${name} of type ${type}`;
    throw new MalformedMetadataError(`json: cannot unmarshal ${jsonType(actual, type)} into ${target}`);
  };
  switch (field) {
    case "raw":
      return value;
    case "string":
      return typeof value === "string" ? value : fail(value, "string");
    case "int64":
      return isInt64(value) ? value : fail(value, "int64");
    case "bool":
      return typeof value === "boolean" ? value : fail(value, "bool");
    case "time":
      return typeof value === "string" ? checkTime(value) : fail(value, "string");
    case "map":
      return isObject(value)
        ? mapObject(value, (item) => decodeString(item, fail))
        : fail(value, "map[string]string");
    case "[]string":
      return Array.isArray(value)
        ? mapList(value, (item) => decodeString(item, fail))
        : fail(value, "[]string");
    default:
      if (!Array.isArray(value)) return fail(value, `[]v1.${field.name}`);
      return mapList(value, (item, index) =>
        isObject(item) || item === null
          ? decodeStruct(item ?? {}, field, `${path}[${index}]`, unknown)
          : fail(item, `v1.${field.name}`),
      );
  }
}

function decodeString(item: unknown, fail: (actual: unknown, type: string) => never): string {
  return typeof item === "string" ? item : item === null ? "" : fail(item, "string");
}

function checkTime(value: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value)) return value;
  const layout = "2006-01-02T15:04:05Z07:00";
  const time = quote(value);
  throw new MalformedMetadataError(`parsing time ${time} as "${layout}": cannot parse ${time} as "2006"`);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function isInt64(value: unknown): boolean {
  return typeof value === "bigint" ? BigInt.asIntN(64, value) === value : Number.isInteger(value);
}

/** Returns the name of a JSON value in Go's errors. A number has its text where another number would be valid. */
function jsonType(value: unknown, expected?: string): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number" && typeof value !== "bigint") return typeof value;
  return expected === "int64" ? `number ${value}` : "number";
}
