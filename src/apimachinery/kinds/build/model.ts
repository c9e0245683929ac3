/** A type of Kubernetes as the npm packages describe it; the tables and the runtime's types are written from it. */
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
   * `[]` for a list and `{}` for a map before what they hold; then a scalar (`string`, `int32`, `Quantity` …) or
   * the name of a type, `core/v1.PodSpec`.
   */
  readonly type: string;
  /** Values of a string that are known today. */
  readonly enum?: readonly string[];
}

/** All types by name: `core/v1.PodSpec`. */
export type Model = ReadonlyMap<string, ModelType>;

/** Takes the list and map prefixes off a field's type. */
export function elementOf(type: string): string {
  return type.replace(/^(?:\[\]|\{\})+/u, "");
}

/** Whether a type's name stands for fields of its own. */
export function isNamed(type: string): boolean {
  return type.includes(".");
}
