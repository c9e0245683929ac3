import type { Place } from "./diagnostic.ts";

/** The value of a marker's argument. A bigint is an integer beyond the safe range of numbers. */
export type MarkerValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly MarkerValue[]
  | { readonly [key: string]: MarkerValue };

/** A CEL rule: an item of `x-kubernetes-validations`. */
export interface Rule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

// Keys of a schema that are no part of its JSON: see `Schema`.
export const refKey: unique symbol = Symbol("ref");
export const problemKey: unique symbol = Symbol("problem");
export const originKey: unique symbol = Symbol("origin");
export const descriptorsKey: unique symbol = Symbol("descriptors");

/** How OLM's console shows a field; a field of a type that spec and status use has one for each. */
interface FieldDescriptor {
  /** `spec` or `status`. */
  readonly type: string;
  readonly displayName: string | undefined;
  readonly order: number | undefined;
  readonly xDescriptors: readonly string[];
}

/** An error of a type without a schema. */
interface Problem {
  readonly place: Place;
  readonly message: string;
  readonly hint: string;
}

/** Where a schema comes from. */
interface Origin {
  /** The declaration or property. */
  readonly place: Place;
  /** The marker that set each key. */
  readonly markers: ReadonlyMap<string, Place>;
}

/** A node of `openAPIV3Schema` while it is built; a missing key and `undefined` are equivalent. */
export interface Schema {
  type?: string | undefined;
  format?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  default?: MarkerValue | undefined;
  example?: MarkerValue | undefined;
  externalDocs?: { url: string; description?: string | undefined } | undefined;
  nullable?: boolean | undefined;
  enum?: readonly MarkerValue[] | undefined;
  maximum?: number | undefined;
  minimum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  exclusiveMinimum?: boolean | undefined;
  multipleOf?: number | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: readonly string[] | undefined;
  items?: Schema | undefined;
  additionalProperties?: Schema | true | undefined;
  allOf?: readonly Schema[] | undefined;
  anyOf?: readonly Schema[] | undefined;
  "x-kubernetes-embedded-resource"?: boolean | undefined;
  "x-kubernetes-int-or-string"?: boolean | undefined;
  "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  "x-kubernetes-list-type"?: string | undefined;
  "x-kubernetes-map-type"?: string | undefined;
  "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  "x-kubernetes-validations"?: readonly Rule[] | undefined;

  /** The schema of the named type that is used here; `settle` merges it after the markers of this use are applied. */
  [refKey]?: Schema | undefined;
  /** The error of a type such as `number` or `unknown`, which `settle` reports unless a marker replaces the type. */
  [problemKey]?: Problem | undefined;
  /** The source of the schema, so that an error in the complete CRD is reported there. */
  [originKey]?: Origin | undefined;
  /** The field's markers about OLM's console. */
  [descriptorsKey]?: readonly FieldDescriptor[] | undefined;
}

/** The places of the markers that CEL rules come from. */
export const rulePlaces: WeakMap<Rule, Place> = new WeakMap();

export function addRule(schema: Schema, rule: Rule): void {
  schema["x-kubernetes-validations"] = [...(schema["x-kubernetes-validations"] ?? []), rule];
}

/** Returns the schema of literals: an enum in source order, an int-or-string if they are mixed, or a boolean for both. */
export function enumSchema(values: readonly (string | number | bigint | boolean)[]): Schema {
  const types = new Set(values.map((value) => (typeof value === "bigint" ? "number" : typeof value)));
  const isIntegral = values.every((value) => typeof value === "bigint" || Number.isInteger(value));
  const isBoth = types.has("string") && types.has("number") && types.size === 2;
  if (types.size === 1 && types.has("boolean") && values.length === 2) return { type: "boolean" };
  if (isBoth)
    return {
      enum: values,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
    };
  if (types.size > 1) return { enum: values };
  const [type] = types;
  return { type: type === "number" ? (isIntegral ? "integer" : "number") : (type ?? "string"), enum: values };
}

/**
 * Returns a schema that also accepts null. An API server rejects null for an enum, even for one that lists null; but it
 * does not check null against the branches of `allOf`, so the enum becomes one of them.
 */
export function orNull(schema: Schema): Schema {
  const { enum: values, [refKey]: type } = schema;
  return {
    ...schema,
    nullable: true,
    ...(values && { enum: undefined, allOf: [...(schema.allOf ?? []), { enum: values }] }),
    ...(type && { [refKey]: orNull(type) }),
  };
}

/** Returns the schema for a use of a named type, with its type and format, which markers on the field check. */
export function reference(type: Schema): Schema {
  return {
    ...(type.type !== undefined ? { type: type.type } : {}),
    ...(type.format !== undefined ? { format: type.format } : {}),
    [refKey]: type,
  };
}

/** Copies a schema, with the schemas directly in it edited. */
export function mapChildren(schema: Schema, edit: (child: Schema) => Schema): Schema {
  const copy: Schema = { ...schema };
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, property]) => [name, edit(property)]),
    );
  }
  if (copy.items) copy.items = edit(copy.items);
  if (typeof copy.additionalProperties === "object") {
    copy.additionalProperties = edit(copy.additionalProperties);
  }
  return copy;
}

/** Copies a schema, with all schemas in it edited, inner ones first. */
export function mapSchema(schema: Schema, edit: (schema: Schema) => Schema): Schema {
  return edit(mapChildren(schema, (child) => mapSchema(child, edit)));
}

/** Writes a value as JSON, to compare it with others. */
export function comparable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}

/** Limits all descriptions of a schema to a number of bytes, at the end of a sentence or word; 0 removes them. */
export function limitDescriptions(schema: Schema, limit: number | undefined): Schema {
  if (limit === undefined) return schema;
  return mapSchema(schema, (node) =>
    node.description === undefined
      ? node
      : { ...node, description: limit === 0 ? undefined : cutText(node.description, limit) },
  );
}

/** Cuts a text to at most `limit` bytes, at the last full stop, or else at the last whitespace. */
export function cutText(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // Never within a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  const cut = bytes.subarray(0, end).toString();
  const sentence = lastIndexOf(cut, /\p{Sentence_Terminal}/u);
  if (sentence > 0) return cut.slice(0, sentence + 1);
  const space = lastIndexOf(cut, /\s/u);
  return `${space > 0 ? cut.slice(0, space) : cut}...`;
}

function lastIndexOf(text: string, pattern: RegExp): number {
  for (let i = text.length - 1; i > 0; i--) if (pattern.test(text[i]!)) return i;
  return -1;
}

/** Words that are no identifiers in CEL. */
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Escapes a field's name for a CEL rule, as Kubernetes does for reserved words and symbols. */
export function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}
