/** A Kubernetes type as described by the npm packages; tables and TypeScript types are generated from it. */
export interface ModelType {
  /** `core/v1` */
  readonly module: string;
  /** `PodSpec` */
  readonly name: string;
  readonly description: string;
  readonly fields: readonly ModelField[];
}

/** One field of a type. */
export interface ModelField {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  /**
   * A scalar (`string`, `int32`, `Quantity` …) or the name of a type (`core/v1.PodSpec`), after `[]` for each list and
   * `{}` for each map around it.
   */
  readonly type: string;
  /** The known values of a string. */
  readonly enum?: readonly string[];
}

/** All types by name: `core/v1.PodSpec`. */
export type Model = ReadonlyMap<string, ModelType>;

/** Strips the list and map prefixes from a field's type. */
export function elementOf(type: string): string {
  return type.replace(/^(?:\[\]|\{\})+/u, "");
}

/** Returns true for the name of a type, false for a scalar. */
export function isNamed(type: string): boolean {
  return type.includes(".");
}
