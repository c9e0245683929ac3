import { type JSONObject, isObject } from "../json/index.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import { quote } from "../text/index.ts";

/** Decoded metadata, and its unknown fields. */
export interface DecodedMetadata {
  readonly metadata: JSONObject<unknown>;
  readonly unknown: readonly string[];
}

/** Metadata that can't be decoded; the message is that of Go's decoder. */
export class MalformedMetadataError extends Error {}

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

/** How a field of metadata is decoded. */
type FieldType = "string" | "int64" | "bool" | "time" | "raw" | "map" | "[]string" | Struct;

/** The fields of a Go struct; those in `kept` are encoded even if they are empty. As the type of a field: a list of it. */
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

function decodeField(value: unknown, field: FieldType, name: string, path: string, unknown: string[]) {
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
