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
