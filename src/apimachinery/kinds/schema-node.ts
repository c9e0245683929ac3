/**
 * A node of a built-in type's schema, in the form of a structural CRD schema.
 * References are resolved: `properties`, `items` and `additionalProperties` are computed when they are read first,
 * so that a graph costs what is looked at. A recursive type is a cycle. Nodes are frozen and shared.
 */
export interface BuiltinSchema {
  /** Absent where several types are allowed: int-or-string and quantities, and any JSON value. */
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  /** Only in tables loaded with descriptions. A field's own text comes before its type's. */
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BuiltinSchema>>;
  readonly required?: readonly string[];
  readonly items?: BuiltinSchema;
  readonly additionalProperties?: BuiltinSchema;
  readonly default?: unknown;
  /** The values that are allowed today; published by the API server, but never written into a CRD. */
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
   * Which named type the node is, when it is one: `apps/v1.DeploymentSpec`, `meta/v1.ObjectMeta`; or a scalar that
   * has a name: `Quantity`, `IntOrString`, `Time`, `MicroTime`, `Duration`, `RawExtension`, `FieldsV1`, `JSON`,
   * and the unions of `apiextensions/v1`.
   */
  readonly typeName?: string;
}
