import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import { isDeclared } from "../member-schema.ts";
import type { SchemaNode } from "../schema-node.ts";
import { mismatchOf, SchemaMismatchError } from "./check-applied.ts";
import { mergeValues } from "./merge.ts";
import { shapeOf } from "./shape.ts";

/**
 * Lays fields over an object as a server-side apply does, without owners: the way of admission policies.
 * Nothing can be removed so, and what is owned as one piece can't be given in parts.
 *
 * @throws SchemaMismatchError with the words of the API server
 */
export function applyPartly(
  live: JSONObject,
  applied: JSONObject,
  schema: SchemaNode | undefined,
): JSONObject {
  const mismatch = mismatchOf(applied, schema);
  if (mismatch !== undefined) {
    throw new SchemaMismatchError(`failed to convert patch object to typed object: ${mismatch}`);
  }
  const pieces = [...findPieces(applied, schema, "")];
  if (pieces.length > 0) {
    const what = "may not mutate atomic arrays, maps or structs";
    throw new SchemaMismatchError(`invalid ApplyConfiguration: ${what}: ${pieces.join(", ")}`);
  }
  return mergeValues(live, applied, schema) as JSONObject;
}

/** The paths of lists and objects that are owned as one piece; only what a schema declares is looked into. */
function* findPieces(value: JSONValue, schema: SchemaNode | undefined, path: string): Generator<string> {
  if (!schema || typeof value !== "object" || value === null) return;
  if (shapeOf(value, schema).kind === "leaf") yield path;
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (isDeclared(schema, name)) yield* findPieces(member, schema.properties![name], `${path}.${name}`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findPieces(item, schema.items, `${path}[${index}]`);
  }
}
