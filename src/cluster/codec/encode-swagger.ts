import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type WireWriter, write } from "./wire.ts";

type Json = JSONObject<unknown>;

export interface Swagger extends Json {
  readonly paths: Readonly<Record<string, Json>>;
  readonly definitions: Readonly<Record<string, Json>>;
}

/** Caches the encoded path items and definitions of documents. */
const encoded = new WeakMap<Json, Buffer>();

/**
 * Encodes an OpenAPI v2 document as `application/com.github.proto-openapi.spec.v2.v1.0+protobuf`, the only form that
 * kubectl up to 1.28 reads. Omits fields that the protobuf form does not have. Awaits `pause` after each of the many parts,
 * which are encoded once.
 */
export async function encodeSwagger(
  document: Swagger,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<Buffer> {
  const cachedParts = { PathItem: document.paths, Schema: document.definitions };
  for (const [name, parts] of Object.entries(cachedParts)) {
    for (const part of Object.values(parts)) {
      if (!encoded.has(part)) encoded.set(part, encode(name, part));
      await pause();
    }
  }
  return encode("Document", document);
}

/** The messages of parameters by their `in`, with the field number in NonBodyParameter. */
const parameterMessages = {
  header: [1, "HeaderParameter"],
  formData: [2, "FormParameter"],
  query: [3, "QueryParameter"],
  path: [4, "PathParameter"],
} as const;

/** Writes the messages that have no object of their own in JSON: unions and maps. */
const wrappers: Readonly<Record<string, (writer: WireWriter, value: unknown) => void>> = {
  Definitions: (writer, value) => writeEntries(writer, 1, "Schema", value as Json),
  Properties: (writer, value) => writeEntries(writer, 1, "Schema", value as Json),
  ParameterDefinitions: (writer, value) => writeEntries(writer, 1, "Parameter", value as Json),
  SecurityDefinitions: (writer, value) => writeEntries(writer, 1, "SecurityDefinition", value as Json),
  SecurityRequirement: (writer, value) => writeEntries(writer, 1, "StringArray", value as Json),
  Responses: (writer, value) => {
    const { extensions, fields } = splitExtensions(value as Json);
    writeEntries(writer, 1, "ResponseValue", fields);
    writeEntries(writer, 2, "any", extensions);
  },
  Paths: (writer, value) => {
    const { extensions, fields } = splitExtensions(value as Json);
    writeEntries(writer, 1, "any", extensions);
    writeEntries(writer, 2, "PathItem", fields);
  },
  StringArray: (writer, value) => (value as string[]).forEach((item) => writer.text(1, item)),
  TypeItem: (writer, value) => [value as string[]].flat().forEach((item) => writer.text(1, item)),
  ItemsItem: (writer, value) => [value].flat().forEach((item) => writer.bytes(1, encode("Schema", item))),
  SchemaItem: (writer, value) => writer.bytes(1, encode("Schema", value)),
  AdditionalPropertiesItem: (writer, value) => {
    if (typeof value === "boolean") writer.varint(2, Number(value));
    else writer.bytes(1, encode("Schema", value));
  },
  ResponseValue: (writer, value) => writeReferenceOr(writer, "Response", value as Json),
  ParametersItem: (writer, value) => writeReferenceOr(writer, "Parameter", value as Json),
  Parameter: (writer, value) => {
    if ((value as Json)["in"] === "body") writer.bytes(1, encode("BodyParameter", value));
    else writer.bytes(2, encode("NonBodyParameter", value));
  },
  NonBodyParameter: (writer, value) => {
    const [number, name] = parameterMessages[(value as { in: keyof typeof parameterMessages }).in];
    writer.bytes(number, encode(name, value));
  },
  SecurityDefinition: (writer, value) => writer.bytes(2, encode("ApiKeySecurity", value)),
  // Readers expect YAML, of which JSON is a subset.
  any: (writer, value) => writer.text(2, `${JSON.stringify(value)}\n`),
};

/** Encodes a message by its name. The parts of a document are cached. */
function encode(name: string, value: unknown): Buffer {
  const cached = name === "PathItem" || name === "Schema" ? encoded.get(value as Json) : undefined;
  if (cached) return cached;
  const wrap = wrappers[name];
  return write((writer) => {
    if (wrap) wrap(writer, value);
    else writeMessage(writer, name, value as Json);
  });
}

function writeReferenceOr(writer: WireWriter, name: string, value: Json): void {
  if (value["$ref"] === undefined) writer.bytes(1, encode(name, value));
  else writer.bytes(2, encode("JsonReference", value));
}

/** The fields of a message by their JSON names, in the order of their numbers. `x-` is the list of extensions. */
type Message = Readonly<Record<string, readonly [number: number, type: string]>>;

/**
 * The messages of gnostic's OpenAPI v2 schema, as far as Kubernetes documents use them. `any` is a value as YAML text,
 * names with a capital letter are messages, and a `[]` suffix means a list.
 */
const messages: Readonly<Record<string, Message>> = {
  Document: message({
    string: { swagger: 1, host: 3, basePath: 4 },
    "string[]": { schemes: 5, consumes: 6, produces: 7 },
    Info: { info: 2 },
    Paths: { paths: 8 },
    Definitions: { definitions: 9 },
    ParameterDefinitions: { parameters: 10 },
    "SecurityRequirement[]": { security: 12 },
    SecurityDefinitions: { securityDefinitions: 13 },
    any: { "x-": 16 },
  }),
  Info: message({ string: { title: 1, version: 2, description: 3 }, any: { "x-": 7 } }),
  PathItem: message({
    string: { $ref: 1 },
    Operation: { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 },
    "ParametersItem[]": { parameters: 9 },
    any: { "x-": 10 },
  }),
  Operation: message({
    string: { summary: 2, description: 3, operationId: 5 },
    "string[]": { tags: 1, produces: 6, consumes: 7, schemes: 10 },
    "ParametersItem[]": { parameters: 8 },
    Responses: { responses: 9 },
    bool: { deprecated: 11 },
    "SecurityRequirement[]": { security: 12 },
    any: { "x-": 13 },
  }),
  JsonReference: message({ string: { $ref: 1, description: 2 } }),
  BodyParameter: message({
    string: { description: 1, name: 2, in: 3 },
    bool: { required: 4 },
    Schema: { schema: 5 },
    any: { "x-": 6 },
  }),
  HeaderParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  PathParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  QueryParameter: { ...parameter(), allowEmptyValue: [5, "bool"], ...valueRules(6), "x-": [23, "any"] },
  FormParameter: { ...parameter(), allowEmptyValue: [5, "bool"], ...valueRules(6), "x-": [23, "any"] },
  PrimitivesItems: { ...valueRules(1), "x-": [18, "any"] },
  Response: message({ string: { description: 1 }, SchemaItem: { schema: 2 }, any: { "x-": 5 } }),
  Schema: message({
    string: { $ref: 1, format: 2, title: 3, description: 4, pattern: 13, discriminator: 26 },
    "string[]": { required: 19 },
    double: { multipleOf: 6, maximum: 7, minimum: 9 },
    bool: { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16, readOnly: 27 },
    int64: { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 },
    any: { default: 5, example: 30, "x-": 31 },
    "any[]": { enum: 20 },
    AdditionalPropertiesItem: { additionalProperties: 21 },
    TypeItem: { type: 22 },
    ItemsItem: { items: 23 },
    "Schema[]": { allOf: 24 },
    Properties: { properties: 25 },
    ExternalDocs: { externalDocs: 29 },
  }),
  ExternalDocs: message({ string: { description: 1, url: 2 }, any: { "x-": 3 } }),
  ApiKeySecurity: message({ string: { type: 1, name: 2, in: 3, description: 4 }, any: { "x-": 5 } }),
};

/** Declares a message: the numbers of its fields by type and name. */
function message(numbersByType: Readonly<Record<string, Readonly<Record<string, number>>>>): Message {
  const fields = Object.entries(numbersByType).flatMap(([type, numbers]) =>
    Object.entries(numbers).map(([name, number]) => [name, [number, type] as const] as const),
  );
  return Object.fromEntries(fields.toSorted(([, [a]], [, [b]]) => a - b));
}

/** The fields with which all parameters but those in bodies begin. */
function parameter(): Message {
  return message({ bool: { required: 1 }, string: { in: 2, description: 3, name: 4 } });
}

/** The validation fields that parameters and items share; `first` is the number of the first one. */
function valueRules(first: number): Message {
  const rules = [
    ["type", "string"],
    ["format", "string"],
    ["items", "PrimitivesItems"],
    ["collectionFormat", "string"],
    ["default", "any"],
    ["maximum", "double"],
    ["exclusiveMaximum", "bool"],
    ["minimum", "double"],
    ["exclusiveMinimum", "bool"],
    ["maxLength", "int64"],
    ["minLength", "int64"],
    ["pattern", "string"],
    ["maxItems", "int64"],
    ["minItems", "int64"],
    ["uniqueItems", "bool"],
    ["enum", "any[]"],
    ["multipleOf", "double"],
  ] as const;
  return Object.fromEntries(rules.map(([name, type], index) => [name, [first + index, type]]));
}

function writeMessage(writer: WireWriter, name: string, value: Json): void {
  const fields = messages[name]!;
  for (const [field, [number, type]] of Object.entries(fields)) {
    if (value[field] !== undefined) writeField(writer, number, type, value[field]);
  }
  writeEntries(writer, fields["x-"]?.[0] ?? 0, "any", splitExtensions(value).extensions);
}

/** Writes a field. As in Go, fields with the zero value of their type are absent. */
function writeField(writer: WireWriter, number: number, type: string, value: unknown): void {
  if (type.endsWith("[]")) {
    for (const item of value as unknown[]) writeItem(writer, number, type.slice(0, -2), item);
  } else if (value !== "" && value !== false && value !== 0) {
    writeItem(writer, number, type, value);
  }
}

function writeItem(writer: WireWriter, number: number, type: string, value: unknown): void {
  if (type === "string") writer.text(number, value as string);
  else if (type === "bool") writer.varint(number, Number(value));
  else if (type === "int64") writer.varint(number, value as number);
  else if (type === "double") writer.double(number, value as number);
  else writer.bytes(number, encode(type, value));
}

/** Writes a map: each entry is a message with a name and a value. */
function writeEntries(writer: WireWriter, number: number, type: string, entries: Json): void {
  for (const [name, value] of Object.entries(entries)) {
    const entry = write((nested) => {
      nested.text(1, name);
      nested.bytes(2, encode(type, value));
    });
    writer.bytes(number, entry);
  }
}

function splitExtensions(value: Json): { extensions: Json; fields: Json } {
  const entries = Object.entries(value);
  const isExtension = ([name]: [string, unknown]): boolean => name.startsWith("x-");
  return {
    extensions: Object.fromEntries(entries.filter(isExtension)),
    fields: Object.fromEntries(entries.filter((entry) => !isExtension(entry))),
  };
}
