/** The types of a structural schema. */
export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  /** Required, but a request may omit it. */
  rule?: string;
  message?: string;
  /** A CEL expression for the message; `message` is used if it fails. */
  messageExpression?: string;
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** The field of the error, relative to the value: `.spec.test`, `.items['a.b']`. */
  fieldPath?: string;
  /** Evaluates a transition rule on create, too, with `oldSelf` as an optional. */
  optionalOldSelf?: boolean;
}

/**
 * A node of `openAPIV3Schema` in a CRD of `apiextensions.k8s.io/v1`.
 * The API server rejects the keywords of the last group, `id` to `dependencies`; they are declared to be reported.
 */
export interface JSONSchema {
  type?: string;
  format?: string;
  title?: string;
  description?: string;
  default?: unknown;
  example?: unknown;
  externalDocs?: { description?: string; url?: string };
  nullable?: boolean;
  enum?: readonly unknown[];

  properties?: Readonly<Record<string, JSONSchema>>;
  additionalProperties?: JSONSchema | boolean;
  items?: JSONSchema | readonly JSONSchema[];
  required?: readonly string[];

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;

  allOf?: readonly JSONSchema[];
  anyOf?: readonly JSONSchema[];
  oneOf?: readonly JSONSchema[];
  not?: JSONSchema;

  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-validations"?: readonly ValidationRule[];

  id?: string;
  $schema?: string;
  $ref?: string;
  additionalItems?: JSONSchema | boolean;
  patternProperties?: Readonly<Record<string, JSONSchema>>;
  definitions?: Readonly<Record<string, JSONSchema>>;
  dependencies?: Readonly<Record<string, JSONSchema | readonly string[]>>;
}

/** Returns the schema of an array's items; undefined for a list of schemas, which is not structural. */
export function itemsOf(schema: JSONSchema | undefined): JSONSchema | undefined {
  const items = schema?.items;
  return items === undefined || Array.isArray(items) ? undefined : (items as JSONSchema);
}

/** Returns the schema of a map's values, if it has one. */
export function valuesOf(schema: JSONSchema | undefined): JSONSchema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === "object" ? values : undefined;
}

/** Returns the schema of an object's member: that of the property, else that of the map's values. */
export function memberSchema(schema: JSONSchema, key: string): JSONSchema | undefined {
  const { properties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return valuesOf(schema);
}

/** Returns true if a schema has a default; null counts as none. */
export function hasDefault(schema: JSONSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** Yields the branches of a node with their paths: `not`, then those of `allOf`, `oneOf` and `anyOf`. */
export function* branchesOf(
  { not, allOf, oneOf, anyOf }: JSONSchema,
  path: string,
): Generator<readonly [branch: JSONSchema, path: string], void> {
  if (not) yield [not, `${path}.not`];
  for (const [name, branches] of Object.entries({ allOf, oneOf, anyOf })) {
    // A schema that was written by hand may have null for a list.
    for (const [index, branch] of (branches ?? []).entries()) yield [branch, `${path}.${name}[${index}]`];
  }
}

/** Yields all nodes of a schema, itself first. */
export function* nodesOf(schema: JSONSchema): Generator<JSONSchema, void> {
  yield schema;
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  const values = typeof additionalProperties === "object" ? additionalProperties : [];
  const nested = [items, allOf, anyOf, oneOf, not, Object.values(properties ?? {}), values];
  for (const child of nested.flat()) if (child) yield* nodesOf(child);
}

/** Returns false for the zero values with which the API server omits a keyword: undefined, `""`, `[]` and `{}`. */
export function isPresent(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== "";
}
