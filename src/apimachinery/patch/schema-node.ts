/**
 * The part of an OpenAPI schema that patches need; structural CRD schemas and schemas of built-in kinds match it.
 * References are resolved; a recursive schema is a cyclic graph.
 */
export interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly format?: string;
  /** The name of the type in built-in kinds; types of custom resources have no names. */
  readonly typeName?: string;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** One or more strategies, separated by commas: `merge`, `replace`, `retainKeys`. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** The schema of a member: that of the property, else of the additional properties. */
export function memberSchema(schema: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (isDeclared(schema, name)) return schema!.properties![name];
  const additional = schema?.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** Returns true if a schema declares a member by name: a field of a struct, not a key of a map. */
export function isDeclared(schema: SchemaNode | undefined, name: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
}
