/**
 * A node of a built-in type's schema, in the form of a structural CRD schema.
 * References are resolved: `properties`, `items` and `additionalProperties` are computed on first read, so that unused
 * types cost nothing. The schema of a recursive type is cyclic. Nodes are frozen and shared.
 */
export interface BuiltinSchema {
  /** Absent if several types are allowed: int-or-string, quantities, and any JSON value. */
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  /** Only in tables loaded with descriptions. A field's own description overrides its type's. */
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BuiltinSchema>>;
  readonly required?: readonly string[];
  readonly items?: BuiltinSchema;
  readonly additionalProperties?: BuiltinSchema;
  readonly default?: unknown;
  /** The known values; the API server publishes them, but they are not written into CRDs. */
  readonly enum?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-embedded-resource"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /**
   * The name of the node's type, if it has one: `apps/v1.DeploymentSpec`, `meta/v1.ObjectMeta`, or a named scalar:
   * `Quantity`, `IntOrString`, `Time`, `MicroTime`, `Duration`, `RawExtension`, `FieldsV1`, `JSON`, and the unions of
   * `apiextensions/v1`.
   */
  readonly typeName?: string;
}
