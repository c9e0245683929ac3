import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { write } from "./scalar-codecs.ts";
import type { WireWriter } from "./wire.ts";

type Json = JSONObject<unknown>;

/** An OpenAPI v2 document. */
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
  for (const [name, parts] of [
    ["PathItem", document.paths],
    ["Schema", document.definitions],
  ] as const) {
    for (const part of Object.values(parts)) {
      if (!encoded.has(part)) encoded.set(part, encode(name, part));
      await pause();
    }
  }
  return encode("Document", document);
}

const places = {
  header: [1, "HeaderParameter"],
  formData: [2, "FormParameter"],
  query: [3, "QueryParameter"],
  path: [4, "PathParameter"],
} as const;

/** Messages without a counterpart in JSON: unions and maps. */
const wrappers: Readonly<Record<string, (writer: WireWriter, value: unknown) => void>> = {
  Definitions: (writer, value) => writeNamed(writer, 1, "Schema", value as Json),
  Properties: (writer, value) => writeNamed(writer, 1, "Schema", value as Json),
  ParameterDefinitions: (writer, value) => writeNamed(writer, 1, "Parameter", value as Json),
  SecurityDefinitions: (writer, value) => writeNamed(writer, 1, "SecurityDefinition", value as Json),
  SecurityRequirement: (writer, value) => writeNamed(writer, 1, "StringArray", value as Json),
  Responses: (writer, value) => {
    const { extensions, fields } = splitExtensions(value as Json);
    writeNamed(writer, 1, "ResponseValue", fields);
    writeNamed(writer, 2, "any", extensions);
  },
  Paths: (writer, value) => {
    const { extensions, fields } = splitExtensions(value as Json);
    writeNamed(writer, 1, "any", extensions);
    writeNamed(writer, 2, "PathItem", fields);
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
    const place = (value as Json)["in"];
    if (place === "body") writer.bytes(1, encode("BodyParameter", value));
    else writer.bytes(2, encode("NonBodyParameter", value));
  },
  NonBodyParameter: (writer, value) => {
    const [number, name] = places[(value as { in: keyof typeof places }).in];
    writer.bytes(number, encode(name, value));
  },
  SecurityDefinition: (writer, value) => writer.bytes(2, encode("ApiKeySecurity", value)),
  // Readers expect YAML, of which JSON is a subset.
  any: (writer, value) => writer.text(2, `${JSON.stringify(value)}\n`),
};

function encode(name: string, value: unknown): Buffer {
  const known = name === "PathItem" || name === "Schema" ? encoded.get(value as Json) : undefined;
  if (known) return known;
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

/** The fields of a message by their JSON names: number and type. `x-` is the list of extensions. */
type Message = Readonly<Record<string, readonly [number: number, kind: string]>>;

/**
 * The messages of gnostic's OpenAPI v2 schema, as far as Kubernetes documents use them. `word`, `flag`, `count` and
 * `real` are scalar types, `any` is a value as YAML text, and names with a capital letter are messages. A `[]` suffix
 * means a list, `{}` a map whose entries are messages with a name.
 */
const messages: Readonly<Record<string, Message>> = {
  Document: {
    swagger: [1, "word"],
    info: [2, "Info"],
    host: [3, "word"],
    basePath: [4, "word"],
    schemes: [5, "word[]"],
    consumes: [6, "word[]"],
    produces: [7, "word[]"],
    paths: [8, "Paths"],
    definitions: [9, "Definitions"],
    parameters: [10, "ParameterDefinitions"],
    security: [12, "SecurityRequirement[]"],
    securityDefinitions: [13, "SecurityDefinitions"],
    "x-": [16, "any"],
  },
  Info: { title: [1, "word"], version: [2, "word"], description: [3, "word"], "x-": [7, "any"] },
  Paths: { "x-": [1, "any"], "/": [2, "PathItem"] },
  PathItem: {
    $ref: [1, "word"],
    get: [2, "Operation"],
    put: [3, "Operation"],
    post: [4, "Operation"],
    delete: [5, "Operation"],
    options: [6, "Operation"],
    head: [7, "Operation"],
    patch: [8, "Operation"],
    parameters: [9, "ParametersItem[]"],
    "x-": [10, "any"],
  },
  Operation: {
    tags: [1, "word[]"],
    summary: [2, "word"],
    description: [3, "word"],
    operationId: [5, "word"],
    produces: [6, "word[]"],
    consumes: [7, "word[]"],
    parameters: [8, "ParametersItem[]"],
    responses: [9, "Responses"],
    schemes: [10, "word[]"],
    deprecated: [11, "flag"],
    security: [12, "SecurityRequirement[]"],
    "x-": [13, "any"],
  },
  JsonReference: { $ref: [1, "word"], description: [2, "word"] },
  BodyParameter: {
    description: [1, "word"],
    name: [2, "word"],
    in: [3, "word"],
    required: [4, "flag"],
    schema: [5, "Schema"],
    "x-": [6, "any"],
  },
  HeaderParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  PathParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  QueryParameter: { ...parameter(), allowEmptyValue: [5, "flag"], ...valueRules(6), "x-": [23, "any"] },
  FormParameter: { ...parameter(), allowEmptyValue: [5, "flag"], ...valueRules(6), "x-": [23, "any"] },
  PrimitivesItems: { ...valueRules(1), "x-": [18, "any"] },
  Response: { description: [1, "word"], schema: [2, "SchemaItem"], "x-": [5, "any"] },
  Schema: {
    $ref: [1, "word"],
    format: [2, "word"],
    title: [3, "word"],
    description: [4, "word"],
    default: [5, "any"],
    multipleOf: [6, "real"],
    maximum: [7, "real"],
    exclusiveMaximum: [8, "flag"],
    minimum: [9, "real"],
    exclusiveMinimum: [10, "flag"],
    maxLength: [11, "count"],
    minLength: [12, "count"],
    pattern: [13, "word"],
    maxItems: [14, "count"],
    minItems: [15, "count"],
    uniqueItems: [16, "flag"],
    maxProperties: [17, "count"],
    minProperties: [18, "count"],
    required: [19, "word[]"],
    enum: [20, "any[]"],
    additionalProperties: [21, "AdditionalPropertiesItem"],
    type: [22, "TypeItem"],
    items: [23, "ItemsItem"],
    allOf: [24, "Schema[]"],
    properties: [25, "Properties"],
    discriminator: [26, "word"],
    readOnly: [27, "flag"],
    externalDocs: [29, "ExternalDocs"],
    example: [30, "any"],
    "x-": [31, "any"],
  },
  ExternalDocs: { description: [1, "word"], url: [2, "word"], "x-": [3, "any"] },
  ApiKeySecurity: {
    type: [1, "word"],
    name: [2, "word"],
    in: [3, "word"],
    description: [4, "word"],
    "x-": [5, "any"],
  },
};

function writeMessage(writer: WireWriter, name: string, value: Json): void {
  const message = messages[name]!;
  for (const [field, [number, kind]] of Object.entries(message)) {
    if (value[field] !== undefined) writeField(writer, number, kind, value[field]);
  }
  writeNamed(writer, message["x-"]?.[0] ?? 0, "any", splitExtensions(value).extensions);
}

function parameter(): Message {
  return { required: [1, "flag"], in: [2, "word"], description: [3, "word"], name: [4, "word"] };
}

/** The validation fields that parameters and items share; `first` is the number of the first one. */
function valueRules(first: number): Message {
  const rules = [
    ["type", "word"],
    ["format", "word"],
    ["items", "PrimitivesItems"],
    ["collectionFormat", "word"],
    ["default", "any"],
    ["maximum", "real"],
    ["exclusiveMaximum", "flag"],
    ["minimum", "real"],
    ["exclusiveMinimum", "flag"],
    ["maxLength", "count"],
    ["minLength", "count"],
    ["pattern", "word"],
    ["maxItems", "count"],
    ["minItems", "count"],
    ["uniqueItems", "flag"],
    ["enum", "any[]"],
    ["multipleOf", "real"],
  ] as const;
  return Object.fromEntries(rules.map(([name, kind], index) => [name, [first + index, kind]]));
}

function writeField(writer: WireWriter, number: number, kind: string, value: unknown): void {
  if (kind.endsWith("[]")) {
    for (const item of value as unknown[]) writeItem(writer, number, kind.slice(0, -2), item);
  } else if (value !== "" && value !== false && value !== 0) {
    writeItem(writer, number, kind, value);
  }
}

function writeItem(writer: WireWriter, number: number, kind: string, value: unknown): void {
  if (kind === "word") writer.text(number, value as string);
  else if (kind === "flag") writer.varint(number, Number(value));
  else if (kind === "count") writer.varint(number, value as number);
  else if (kind === "real") writer.double(number, value as number);
  else writer.bytes(number, encode(kind, value));
}

/** Map entries: messages with a name. */
function writeNamed(writer: WireWriter, number: number, kind: string, entries: Json): void {
  for (const [name, value] of Object.entries(entries)) {
    const entry = write((nested) => {
      nested.text(1, name);
      nested.bytes(2, encode(kind, value));
    });
    writer.bytes(number, entry);
  }
}

function splitExtensions(value: Json): {
  extensions: Json;
  fields: Json;
} {
  const entries = Object.entries(value);
  const isExtension = ([name]: [string, unknown]): boolean => name.startsWith("x-");
  return {
    extensions: Object.fromEntries(entries.filter(isExtension)),
    fields: Object.fromEntries(entries.filter((entry) => !isExtension(entry))),
  };
}
