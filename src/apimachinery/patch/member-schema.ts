import type { SchemaNode } from "./schema-node.ts";

/** The schema of a member: that of the property, else of the additional properties. */
export function memberSchema(schema: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (isDeclared(schema, name)) return schema!.properties![name];
  const additional = schema?.additionalProperties;
  return typeof additional === "object" ? additional : undefined;
}

/** Returns true if a schema declares a member by name: a field of a struct, not a key of a map. */
export function isDeclared(schema: SchemaNode | undefined, name: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
}
