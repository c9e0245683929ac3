// The other direction of `src/cluster/codec/protobuf.ts`, as Go's typed clients have it: no server of ours sends objects in
// protobuf.

import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema, FieldNumbers } from "@tsbuilder/apimachinery/kinds";
import { loadFieldNumbers, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { parseTime } from "@tsbuilder/apimachinery/time";
import { write } from "../../../src/cluster/codec/wire.ts";
import { servedRelease } from "../../../src/cluster/contract/version.ts";

type Json = JSONObject<unknown>;

/** Encodes an object of a built-in kind; returns `undefined` for any other kind, which has no protobuf form. */
export async function encodeProtobuf(object: {
  readonly apiVersion: string;
  readonly kind: string;
}): Promise<Buffer | undefined> {
  const { apiVersion, kind } = object;
  const isMeta = kind === "DeleteOptions" || kind === "Status";
  const module = isMeta ? "meta/v1" : moduleOf(parseApiVersion(apiVersion));
  const release = servedRelease();
  const [schemas, numbers] = await Promise.all([loadSchemas(module, { release }), loadFieldNumbers(module)]);
  const schema = schemas?.get(kind);
  if (!schema || !numbers) return undefined;
  const typeMeta = Buffer.concat([text(1, apiVersion), text(2, kind)]);
  const raw = encodeMessage(object, schema, numbers);
  return Buffer.concat([Buffer.from("k8s\0"), bytes(1, typeMeta), bytes(2, raw), text(3, ""), text(4, "")]);
}

/** The written fields of a message by number; a nested map is an embedded message, whose fields are inlined in JSON. */
type Written = Map<number, Buffer | Written>;

function encodeMessage(object: Json, schema: BuiltinSchema, numbers: FieldNumbers): Buffer {
  const written: Written = new Map();
  const fieldNumbers = numbers(schema.typeName ?? "");
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const path = fieldNumbers.get(name)?.path;
    const value = object[name];
    if (!path || value === undefined || value === null) continue;
    const parents = path.slice(0, -1);
    let target = written;
    for (const number of parents) {
      if (!target.has(number)) target.set(number, new Map());
      target = target.get(number) as Written;
    }
    target.set(path.at(-1)!, encodeField(path.at(-1)!, value, property, numbers));
  }
  return join(written);
}

function join(written: Written): Buffer {
  const fields = [...written].toSorted(([a], [b]) => a - b);
  return Buffer.concat(
    fields.map(([number, field]) => (field instanceof Map ? bytes(number, join(field)) : field)),
  );
}

function encodeField(number: number, value: unknown, schema: BuiltinSchema, numbers: FieldNumbers): Buffer {
  const { type, items, additionalProperties: values } = schema;
  if (type === "array")
    return Buffer.concat((value as unknown[]).map((item) => encodeValue(number, item, items!, numbers)));
  if (!values) return encodeValue(number, value, schema, numbers);
  const entries = Object.entries(value as Json).map(([key, item]) =>
    bytes(number, Buffer.concat([text(1, key), encodeValue(2, item, values, numbers)])),
  );
  return Buffer.concat(entries);
}

function encodeValue(number: number, value: unknown, schema: BuiltinSchema, numbers: FieldNumbers): Buffer {
  const { typeName = "", type, format, items } = schema;
  const special = messages[typeName];
  if (special) return bytes(number, special(value));
  if (typeName.startsWith("JSONSchemaPropsOr")) return bytes(number, encodeUnion(typeName, value, numbers));
  if (typeName !== "") return bytes(number, encodeMessage(value as Json, schema, numbers));
  // A list as the value of a map entry is wrapped in a message: protobuf can't repeat that field.
  if (type === "array") {
    const wrapped = (value as unknown[]).map((item) => encodeValue(1, item, items!, numbers));
    return bytes(number, Buffer.concat(wrapped));
  }
  if (format === "byte") return bytes(number, Buffer.from(value as string, "base64"));
  if (type === "boolean") return varint(number, value === true ? 1 : 0);
  if (type === "integer") return varint(number, Math.trunc(value as number));
  if (type === "string") return text(number, value as string);
  return write((writer) => writer.double(number, value as number));
}

/** Types that are scalars in JSON, and messages in protobuf. */
const messages: Readonly<Record<string, (value: unknown) => Buffer>> = {
  Time: (value) => encodeTimestamp(value as string | null, { hasFraction: false }),
  MicroTime: (value) => encodeTimestamp(value as string | null, { hasFraction: true }),
  Quantity: (value) => text(1, String(value)),
  IntOrString: (value) =>
    typeof value === "string"
      ? Buffer.concat([varint(1, 1), varint(2, 0), text(3, value)])
      : Buffer.concat([varint(1, 0), varint(2, value as number), text(3, "")]),
  RawExtension: encodeRaw,
  FieldsV1: encodeRaw,
  JSON: encodeRaw,
};

function encodeTimestamp(time: string | null, { hasFraction }: { hasFraction: boolean }): Buffer {
  if (time === null) return Buffer.alloc(0);
  const fraction = /\.(\d{1,6})/u.exec(time)?.[1] ?? "";
  const nanos = hasFraction ? Number(fraction.padEnd(6, "0")) * 1000 : 0;
  return Buffer.concat([varint(1, Math.floor(parseTime(time) / 1000)), varint(2, nanos)]);
}

function encodeRaw(value: unknown): Buffer {
  return text(1, JSON.stringify(value));
}

/** A schema of a CRD is a message of its own; the other form is a list of schemas or texts, or a boolean. */
function encodeUnion(typeName: string, value: unknown, numbers: FieldNumbers): Buffer {
  const schema = (number: number, item: unknown): Buffer =>
    bytes(number, encodeMessage(item as Json, schemaProps, numbers));
  if (typeName === "JSONSchemaPropsOrBool") {
    // Go also writes the flag if there is a schema.
    if (typeof value === "boolean") return varint(1, value ? 1 : 0);
    return Buffer.concat([varint(1, 1), schema(2, value)]);
  }
  if (!Array.isArray(value)) return schema(1, value);
  const isText = typeName === "JSONSchemaPropsOrStringArray";
  return Buffer.concat(value.map((item) => (isText ? text(2, item as string) : schema(2, item))));
}

const schemaProps = (await loadSchemas("apiextensions/v1"))!.get("JSONSchemaProps")!;

function varint(field: number, value: number): Buffer {
  return write((writer) => writer.varint(field, value));
}

function bytes(field: number, value: Uint8Array): Buffer {
  return write((writer) => writer.bytes(field, value));
}

function text(field: number, value: string): Buffer {
  return write((writer) => writer.text(field, value));
}
