import { hasDefault, itemsOf, type JSONSchema, valuesOf } from "./json-schema.ts";

/** The parts of a schema that pruning and other walks need, with the properties in a map. */
export interface Shape {
  readonly schema: JSONSchema;
  readonly properties: ReadonlyMap<string, Shape>;
  readonly values: Shape | undefined;
  readonly items: Shape | undefined;
  readonly preserves: boolean;
  readonly embedded: boolean;
  /** Any key is kept, but its content may be pruned: `additionalProperties` is true or a schema. */
  readonly takesAnyKey: boolean;
  /** The properties with a default; null counts as none. */
  readonly withDefault: readonly { readonly name: string; readonly property: JSONSchema }[];
}

/** Converts a schema to a shape; cyclic schemas become cyclic shapes. */
export function shapeOf(schema: JSONSchema, known = new Map<JSONSchema, Shape>()): Shape {
  const existing = known.get(schema);
  if (existing) return existing;
  const properties = new Map<string, Shape>();
  const shape = {
    schema,
    properties,
    values: undefined as Shape | undefined,
    items: undefined as Shape | undefined,
    preserves: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: schema["x-kubernetes-embedded-resource"] === true,
    takesAnyKey: schema.additionalProperties !== undefined,
    withDefault: [] as { name: string; property: JSONSchema }[],
  };
  known.set(schema, shape);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    properties.set(name, shapeOf(child, known));
    if (hasDefault(child)) shape.withDefault.push({ name, property: child });
  }
  const values = valuesOf(schema);
  const items = itemsOf(schema);
  if (values) shape.values = shapeOf(values, known);
  if (items) shape.items = shapeOf(items, known);
  return shape;
}
