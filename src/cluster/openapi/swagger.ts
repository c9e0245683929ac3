import { createHash } from "node:crypto";
import { type JSONObject, isEqual } from "@tsbuilder/apimachinery/json";
import { type Swagger, encodeSwagger } from "../codec/index.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import type { Pause, TimeSlices } from "../http/time-slices.ts";
import { servedRelease } from "../contract/version.ts";
import { bearerToken, sortByName } from "./schema-writer.ts";

/** A v2 document with its encodings. */
interface EncodedSwagger {
  readonly document: Swagger;
  readonly json: Buffer;
  /** Encoded on the first request for it: few clients are that old. */
  protobuf?: Promise<Buffer>;
}

interface SwaggerOptions {
  /** Identifies the v3 documents that `read` returns. */
  readonly state: string;
  readonly read: () => AsyncIterable<Buffer>;
  readonly slices: TimeSlices;
}

/** The OpenAPI v2 document for one state of the registry, made in slices of time when it is first requested. */
export class SwaggerDocument {
  readonly #options: SwaggerOptions;
  readonly #etag: string;
  /** Undefined until the document is requested. */
  #encoded: Promise<EncodedSwagger> | undefined;

  constructor(options: SwaggerOptions) {
    this.#options = options;
    this.#etag = `"${createHash("sha512").update(options.state).digest("hex").toUpperCase()}"`;
  }

  /** Returns true if the document was made for this state of the registry. */
  isOf(state: string): boolean {
    return this.#options.state === state;
  }

  async answer(request: RequestContext["request"]): Promise<Reply> {
    const headers = { ETag: this.#etag, Vary: "Accept" };
    if (request.headers["if-none-match"] === this.#etag) return { code: 304, headers };
    const { read, slices } = this.#options;
    const encoded = await (this.#encoded ??= encodeDocuments(read(), slices.begin()));
    // kubectl up to 1.28 accepts only protobuf. A legacy name of the media type contains an @.
    const wantsProtobuf = /proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/u.test(request.headers.accept ?? "");
    const body = wantsProtobuf
      ? await (encoded.protobuf ??= encodeSwagger(encoded.document, slices.begin()))
      : encoded.json;
    return { code: 200, contentType: wantsProtobuf ? swaggerProtobuf : "application/json", headers, body };
  }
}

const swaggerProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

type Json = JSONObject<unknown>;
type Entries = readonly (readonly [string, Json])[];

/** The part of the v2 document that comes from one v3 document. */
interface SwaggerPart {
  readonly paths: Entries;
  readonly definitions: Entries;
}

/** Caches converted documents by their bytes: a changed CRD changes one of many. */
const convertedParts = new WeakMap<Buffer, SwaggerPart>();

/** Converts the v3 documents and joins them. */
async function encodeDocuments(documents: AsyncIterable<Buffer>, pause: Pause): Promise<EncodedSwagger> {
  const parts: SwaggerPart[] = [];
  for await (const bytes of documents) {
    const part = convertedParts.get(bytes) ?? toSwagger(JSON.parse(bytes.toString()) as V3Document);
    convertedParts.set(bytes, part);
    parts.push(part);
    await pause();
  }
  const document = joinSwagger(parts, servedRelease());
  return { document, json: Buffer.from(JSON.stringify(document)) };
}

/** The parts of an OpenAPI v3 document that are converted. */
export interface V3Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Json>> };
}

/** Converts a v3 document to v2: a body is a parameter, media types are apart, and a schema has one type. */
export function toSwagger({ paths, components }: V3Document): SwaggerPart {
  return {
    paths: Object.entries(paths).map(([path, item]) => [path, toPathItem(item)]),
    definitions: Object.entries(components.schemas ?? {}).map(([name, schema]) => [
      name,
      toDefinition(schema),
    ]),
  };
}

const kindsKey = "x-kubernetes-group-version-kind";

/** Joins the converted documents of all groups into the OpenAPI v2 document. */
export function joinSwagger(parts: readonly SwaggerPart[], version: string): Swagger {
  const definitions = parts
    .flatMap((part) => part.definitions)
    // Definitions with a kind come last and win: documents of other groups define the type without its kind.
    .toSorted(([, a], [, b]) => Number(kindsKey in a) - Number(kindsKey in b));
  // As Kubernetes publishes the scheme in v2, its description comes first.
  const { description, ...scheme } = bearerToken;
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: sortByName(parts.flatMap(({ paths }) => paths)),
    definitions: sortByName(definitions),
    securityDefinitions: { BearerToken: { description, ...scheme } },
    security: [{ BearerToken: [] }],
  };
}

function toPathItem({ parameters, ...operations }: Json): Json {
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, toOperation(operation as Json)]),
    ),
    ...(parameters !== undefined && { parameters: (parameters as Json[]).map(toParameter) }),
  };
}

type Content = Readonly<Record<string, { readonly schema: Json }>>;

const protobuf = "application/vnd.kubernetes.protobuf";

function toOperation({ parameters = [], requestBody, responses, ...rest }: Json): Json {
  const body = requestBody as { content: Content; required?: boolean } | undefined;
  const responseMap = responses as Record<string, { description: string; content?: Content }>;
  const allParameters = [...(body ? [toBody(body)] : []), ...(parameters as Json[]).map(toParameter)];
  const produces = mediaTypesOf(
    Object.assign({}, ...Object.values(responseMap).map(({ content }) => content)),
  );
  // As Kubernetes publishes them: in discovery, and without protobuf, `consumes` repeats the types of the response.
  const repeatsTypes = rest["x-kubernetes-action"] === undefined || !produces.includes(protobuf);
  return {
    ...rest,
    consumes: body ? mediaTypesOf(body.content) : repeatsTypes ? produces : ["*/*"],
    produces,
    schemes: ["https"],
    ...(allParameters.length > 0 && { parameters: allParameters }),
    responses: Object.fromEntries(
      Object.entries(responseMap).map(([code, { description, content = {} }]) => {
        const schema = Object.values(content)[0]?.schema;
        return [code, { description, ...(schema && { schema: toDefinition(schema) }) }];
      }),
    ),
  };
}

/** The order in which Kubernetes lists media types; others come first. */
const mediaTypeOrder = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/json",
  "application/yaml",
  protobuf,
  "application/json;stream=watch",
  `${protobuf};stream=watch`,
];

function mediaTypesOf(content: Content): string[] {
  return Object.keys(content).toSorted((a, b) => mediaTypeOrder.indexOf(a) - mediaTypeOrder.indexOf(b));
}

/** Converts a body. If its media types have different schemas, v2 has the schema of any object. */
function toBody({ content, required }: { content: Content; required?: boolean }): Json {
  const [first, ...others] = Object.values(content).map(({ schema }) => schema);
  const agree = others.every((schema) => isEqual(schema, first));
  const schema = agree ? toDefinition(first!) : { type: "object" };
  return { name: "body", in: "body", ...(required && { required }), schema };
}

/** Keywords that OpenAPI v2 does not have, and defaults, which Kubernetes only publishes in v3. */
const v3Keywords = new Set(["oneOf", "anyOf", "not", "nullable", "allOf", "default"]);

/** Converts a v3 schema to v2. A union of types has no type in v2, except int-or-string and quantities. */
function toDefinition(schema: Json): Json {
  const reference = singleReference(schema);
  const entries = Object.entries(schema)
    .filter(([keyword]) => !v3Keywords.has(keyword))
    .map(([keyword, value]): [string, unknown] => [keyword, toKeyword(keyword, value)]);
  const definition: Json = { ...Object.fromEntries(entries), ...reference };
  // As Kubernetes publishes them: an int-or-string is a string with a format, a quantity any string.
  if (schema["format"] === "int-or-string" || isQuantity(schema)) definition["type"] = "string";
  if (schema["x-kubernetes-int-or-string"] === true) {
    delete definition["type"];
    delete definition["format"];
  }
  return omitConstraints(schema, definition);
}

/** Omits constraints by which kubectl, which validates by v2, would refuse null and unknown fields. */
function omitConstraints(schema: Json, definition: Json): Json {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const gvk = schema["x-kubernetes-group-version-kind"];
  if (isOpen && gvk !== undefined) return { type: "object", "x-kubernetes-group-version-kind": gvk };
  const isNullable = schema["nullable"] === true;
  const { type, items, properties, required: _required, ...rest } = definition;
  const hasItems = items !== undefined && !isOpen && !isNullable;
  const isTyped =
    type !== undefined && !isNullable && !(isOpen && type === "object") && (type !== "array" || hasItems);
  // Publishing requires kind and apiVersion of embedded objects; an open schema does not require them in v2.
  const added = isOpen && schema["x-kubernetes-embedded-resource"] === true ? ["kind", "apiVersion"] : [];
  const required = requiredFields(schema).filter((name) => !added.includes(name));
  return {
    ...rest,
    ...(isTyped && { type }),
    ...(hasItems && { items }),
    ...(properties !== undefined && !isOpen && !isNullable && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** The required fields that can't be null. */
function requiredFields({ required, properties, additionalProperties }: Json): readonly string[] {
  const fields = (properties ?? {}) as Record<string, Json>;
  if ((additionalProperties as Json | undefined)?.["nullable"] === true) return [];
  return ((required ?? []) as string[]).filter((name) => fields[name]?.["nullable"] !== true);
}

/** Unwraps a reference that v3 puts into `allOf` because it has siblings. */
function singleReference({ allOf }: Json): Json {
  const [only, ...others] = (allOf ?? []) as Json[];
  return only?.["$ref"] !== undefined && others.length === 0 ? toDefinition(only) : {};
}

function toKeyword(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "$ref":
      return String(value).replace("#/components/schemas/", "#/definitions/");
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, child]) => [name, toDefinition(child)]),
      );
    case "items":
      return toDefinition(value as Json);
    case "additionalProperties":
      return typeof value === "object" ? toDefinition(value as Json) : value;
    default:
      return value;
  }
}

function isQuantity({ oneOf }: Json): boolean {
  const types = ((oneOf ?? []) as Json[]).map(({ type }) => type);
  return types.length === 2 && types.includes("string") && types.includes("number");
}

function toParameter({ schema, ...parameter }: Json): Json {
  return { ...parameter, ...(schema as Json) };
}
