// Encodings other than plain JSON. Protobuf, top down: this file has the envelope, the messages of types and the scalars,
// `scalar-codecs.ts` the messages that are scalars in JSON, `wire.ts` the bytes. `encode-swagger.ts` writes OpenAPI v2.
// `go-json.ts` and `go-yaml.ts` read JSON and YAML as Go does, with Go's messages for malformed text.

import type { BuiltinSchema, FieldNumber, FieldNumbers } from "@tsbuilder/apimachinery/kinds";
import { loadFieldNumbers, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { servedRelease } from "../contract/version.ts";
import { MalformedProtobufError, type ValueCodec, WireReader, wire } from "./wire.ts";
import { message, scalar, scalarCodecs } from "./scalar-codecs.ts";

/** A decoded object, in its JSON form. */
export interface DecodedObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/**
 * Decodes a body of type `application/vnd.kubernetes.protobuf`: an object of a built-in kind, or options such as
 * DeleteOptions. Empty fields are omitted, as in JSON.
 * @throws MalformedProtobufError if it is not such a body, or its kind is not built in
 */
export async function decodeProtobuf(body: Uint8Array): Promise<DecodedObject> {
  const { apiVersion, kind, raw } = readEnvelope(body);
  const codec = await findCodec(apiVersion, kind);
  if (!codec) {
    const why = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
    throw new MalformedProtobufError(why, { apiVersion, kind });
  }
  try {
    return { apiVersion, kind, ...codec.decode(new WireReader(raw)) };
  } catch (error) {
    if (!(error instanceof MalformedProtobufError)) throw error;
    throw new MalformedProtobufError(error.message, { apiVersion, kind });
  }
}

/** Kinds that belong to every group and version and are declared once. */
const metaKinds = new Set(["DeleteOptions", "Status"]);

/** One instance for all modules: types refer to each other across modules, and one table has all field numbers. */
let messageCodecs: MessageCodecs | undefined;

type Json = JSONObject<unknown>;

/** Converts messages to objects of one type. Unknown fields are skipped. */
interface MessageCodec extends ValueCodec {
  decode(reader: WireReader, depth?: number): Json;
}

async function findCodec(apiVersion: string, kind: string): Promise<MessageCodec | undefined> {
  const module = metaKinds.has(kind) ? "meta/v1" : moduleOf(parseApiVersion(apiVersion));
  const [schemas, numbers] = await Promise.all([
    loadSchemas(module, { release: servedRelease() }),
    loadFieldNumbers(module),
  ]);
  const schema = schemas?.get(kind);
  return schema && numbers && (messageCodecs ??= new MessageCodecs(numbers)).of(schema);
}

/** Every protobuf body starts with these four bytes. */
const magic = Buffer.from("k8s\0", "latin1");

/** Reads the envelope of an object, Kubernetes' `runtime.Unknown`: its kind and what it encloses. */
function readEnvelope(body: Uint8Array) {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length === 0) throw new MalformedProtobufError("empty data");
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    throw new MalformedProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  let [apiVersion, kind, contentEncoding] = ["", "", ""];
  let raw: Buffer = Buffer.alloc(0);
  const reader = new WireReader(bytes.subarray(magic.length));
  while (reader.next()) {
    if (reader.field === 1) [apiVersion, kind] = readTypeMeta(reader.bytes());
    else if (reader.field === 2) raw = reader.bytes();
    else if (reader.field === 3) contentEncoding = reader.text();
    else reader.skip();
  }
  if (contentEncoding !== "")
    throw new MalformedProtobufError(`unsupported content encoding ${contentEncoding}`);
  return { apiVersion, kind, raw };
}

function readTypeMeta(bytes: Buffer): [apiVersion: string, kind: string] {
  let [apiVersion, kind] = ["", ""];
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) apiVersion = reader.text();
    else if (reader.field === 2) kind = reader.text();
    else reader.skip();
  }
  return [apiVersion, kind];
}

/** Makes the codecs of types from their schemas and field numbers, each when it is first needed. */
export class MessageCodecs {
  readonly #numbers: FieldNumbers;
  readonly #codecs = new Map<string, MessageCodec>();

  constructor(numbers: FieldNumbers) {
    this.#numbers = numbers;
  }

  of(schema: BuiltinSchema): MessageCodec {
    const name = schema.typeName ?? "";
    const existing = this.#codecs.get(name);
    if (existing) return existing;
    let layout: Layout | undefined;
    const codec = messageCodec(() => (layout ??= this.#layout(schema)));
    this.#codecs.set(name, codec);
    return codec;
  }

  #layout(schema: BuiltinSchema): Layout {
    const layout: Layout = new Map();
    const numbers = this.#numbers(schema.typeName ?? "");
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const number = numbers.get(name);
      if (number) addField(layout, number.path, this.#field(name, property, number));
    }
    return layout;
  }

  #field(name: string, schema: BuiltinSchema, { zeroIsAbsent }: FieldNumber): Field {
    const { type, items, additionalProperties: values } = schema;
    if (type === "array") return { name, form: "list", value: this.#value(items!), zeroIsAbsent };
    if (values) return { name, form: "map", value: this.#value(values), zeroIsAbsent };
    return { name, form: "single", value: this.#value(schema), zeroIsAbsent };
  }

  #value(schema: BuiltinSchema): ValueCodec {
    const { typeName, type, format } = schema;
    if (typeName !== undefined) {
      // Only JSONSchemaProps refers to these unions, so its codec already exists.
      const unionCodec = schemaUnion(typeName, () => this.#codecs.get("apiextensions/v1.JSONSchemaProps")!);
      return scalarCodecs[typeName] ?? unionCodec ?? this.of(schema);
    }
    // A list as the value of a map entry is wrapped in a message: protobuf can't repeat that field.
    if (type === "array") return wrappedList(this.#value(schema.items!));
    if (format === "byte" || format === "int32") return plainCodecs[format];
    return plainCodecs[type as keyof typeof plainCodecs];
  }
}

interface Field {
  readonly name: string;
  readonly form: "single" | "list" | "map";
  readonly value: ValueCodec;
  readonly zeroIsAbsent: boolean;
}

/** A message's fields by number; a nested map is an embedded message whose fields are inlined in the parent's JSON. */
type Layout = Map<number, Field | Layout>;

/** Adds a field at the path of its field numbers. */
function addField(layout: Layout, [number, ...rest]: readonly number[], field: Field): void {
  if (rest.length === 0) {
    layout.set(number!, field);
    return;
  }
  const inner = layout.get(number!) ?? (new Map() as Layout);
  layout.set(number!, inner);
  addField(inner as Layout, rest, field);
}

/** The limit of nested messages, beyond any real object: protects the stack from malicious messages. */
const maxDepth = 100;

/** Makes the codec of a message. Its layout is computed on first use. */
function messageCodec(layout: () => Layout): MessageCodec {
  const decode = (reader: WireReader, depth = 0): Json => {
    if (depth > maxDepth) throw new MalformedProtobufError("proto: messages are nested too deeply");
    const object: Json = {};
    readMessage(reader, layout(), object, depth);
    return object;
  };
  return { decode, ...message(decode, {}), isZero: (value) => Object.keys(value as Json).length === 0 };
}

function readMessage(reader: WireReader, layout: Layout, object: Json, depth: number): void {
  while (reader.next()) {
    const field = layout.get(reader.field);
    if (!field) reader.skip();
    else if (field instanceof Map) {
      reader.expect(wire.bytes);
      const outer = reader.enter();
      readMessage(reader, field, object, depth);
      reader.leave(outer);
    } else if (field.form === "list") readItems(reader, field, object, depth);
    else if (field.form === "map") readEntry(reader, field, object, depth);
    else readSingle(reader, field, object, depth);
  }
}

function readSingle(reader: WireReader, field: Field, object: Json, depth: number): void {
  reader.expect(field.value.wireType);
  const value = field.value.read(reader, depth + 1);
  if (!(field.zeroIsAbsent && field.value.isZero(value))) object[field.name] = value;
}

function readItems(reader: WireReader, { name, value }: Field, object: Json, depth: number) {
  const items = (object[name] ??= []) as unknown[];
  if (value.wireType === wire.bytes || reader.wireType !== wire.bytes) {
    reader.expect(value.wireType);
    items.push(value.read(reader, depth + 1));
    return;
  }
  // Numbers may also be packed into one field.
  const outer = reader.enter();
  while (reader.hasMore) items.push(value.read(reader, depth + 1));
  reader.leave(outer);
}

function readEntry(reader: WireReader, { name, value }: Field, object: Json, depth: number) {
  reader.expect(wire.bytes);
  const entries = (object[name] ??= {}) as Json;
  const outer = reader.enter();
  let key = "";
  let item = value.zero;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text();
    else if (reader.field === 2) item = value.read(reader, depth + 1);
    else reader.skip();
  }
  reader.leave(outer);
  if (key !== "__proto__") entries[key] = item;
  else
    Object.defineProperty(entries, key, {
      value: item,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** The codecs of protobuf's scalar types, by JSON schema type or format. */
const plainCodecs = {
  boolean: scalar(wire.varint, false, (reader) => reader.varint() !== 0),
  // As in Go, larger numbers are truncated to their lower 32 bits.
  int32: scalar(wire.varint, 0, (reader) => reader.varint() | 0),
  integer: scalar(wire.varint, 0, (reader) => reader.varint()),
  number: scalar(wire.fixed64, 0, (reader) => reader.double()),
  string: scalar(wire.bytes, "", (reader) => reader.text()),
  byte: scalar(wire.bytes, "", (reader) => reader.bytes().toString("base64")),
};

/** Makes the codec of a type in a CRD's schema that is a union in JSON; undefined for any other type. */
function schemaUnion(typeName: string, schemaProps: () => ValueCodec): ValueCodec | undefined {
  switch (typeName) {
    case "JSONSchemaPropsOrArray":
      return union(schemaProps, { schema: 1, other: 2, isList: true, otherCodec: schemaProps });
    case "JSONSchemaPropsOrBool":
      return union(schemaProps, {
        schema: 2,
        other: 1,
        isList: false,
        otherCodec: () => plainCodecs.boolean,
      });
    case "JSONSchemaPropsOrStringArray":
      return union(schemaProps, { schema: 1, other: 2, isList: true, otherCodec: () => plainCodecs.string });
    default:
      return undefined;
  }
}

/** The field numbers of a message with either a schema or another form: a value, or a list of values. */
interface UnionForms {
  readonly schema: number;
  readonly other: number;
  readonly isList: boolean;
  readonly otherCodec: () => ValueCodec;
}

/** The codec of a union. In JSON, an array or boolean is the other form, and an object a schema. */
function union(schemaProps: () => ValueCodec, { schema, other, isList, otherCodec }: UnionForms): ValueCodec {
  const decode = (reader: WireReader, depth: number): unknown => {
    let schemaValue: unknown;
    const items: unknown[] = [];
    while (reader.next()) {
      if (reader.field === schema) schemaValue = schemaProps().read(reader, depth + 1);
      else if (reader.field === other) items.push(otherCodec().read(reader, depth + 1));
      else reader.skip();
    }
    // A schema takes precedence over the other form.
    return schemaValue ?? (isList ? items : (items.at(-1) ?? false));
  };
  return message(decode, null);
}

function wrappedList(item: ValueCodec): ValueCodec {
  const layout: Layout = new Map([[1, { name: "items", form: "list", value: item, zeroIsAbsent: false }]]);
  const list = messageCodec(() => layout);
  return {
    ...list,
    read: (reader, depth) => (list.read(reader, depth) as Record<string, unknown>)["items"] ?? [],
    zero: [],
    isZero: (value) => (value as unknown[]).length === 0,
  };
}
