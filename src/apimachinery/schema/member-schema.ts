import { type JSONSchema, valuesOf } from "./json-schema.ts";

/** The schema of an object's member: that of the property, else that of the map's values. */
export function memberSchema(schema: JSONSchema, key: string): JSONSchema | undefined {
  const { properties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return valuesOf(schema);
}
