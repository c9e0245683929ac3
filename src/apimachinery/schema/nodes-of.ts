import type { JSONSchema } from "./json-schema.ts";

/** All nodes of a schema, itself first. */
export function* nodesOf(schema: JSONSchema): Generator<JSONSchema, void> {
  yield schema;
  const { items, allOf, anyOf, oneOf, not, properties, additionalProperties } = schema;
  const values = typeof additionalProperties === "object" ? additionalProperties : [];
  const nested = [items, allOf, anyOf, oneOf, not, Object.values(properties ?? {}), values];
  for (const each of nested.flat()) if (each) yield* nodesOf(each);
}
