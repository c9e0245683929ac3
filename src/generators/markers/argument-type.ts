/** The type of a marker's argument. `raw` is the rest of the line, `json` the rest of the line parsed as JSON. */
export type ArgumentType =
  | { readonly type: "string" | "int" | "number" | "bool" | "any" | "raw" | "json" }
  | { readonly type: "list" | "map"; readonly item: ArgumentType };

/** The value of a marker's argument. A bigint is an integer beyond the safe range of numbers. */
export type MarkerValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly MarkerValue[]
  | { readonly [key: string]: MarkerValue };

/** The name of a type in help texts and errors. */
export function describeType(type: ArgumentType): string {
  if (type.type === "list") return `list of ${describeType(type.item)}`;
  if (type.type === "map") return `map of ${describeType(type.item)}`;
  return type.type;
}
