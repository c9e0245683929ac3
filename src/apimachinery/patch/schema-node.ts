/**
 * What the patch engines read of an OpenAPI schema; a structural CRD schema and a built-in kind's table fit.
 * References are resolved before they get here; a recursive schema is a cyclic graph.
 */
export interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly default?: unknown;
  readonly format?: string;
  /** What a built-in kind calls the type; a custom resource's have no names. */
  readonly typeName?: string;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** One strategy, or several with commas: `merge`, `replace`, `retainKeys`. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}
