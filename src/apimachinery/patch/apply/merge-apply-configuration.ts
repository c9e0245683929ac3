import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import { type SchemaNode, isDeclared } from "../schema-node.ts";
import { mismatchOf } from "./check-applied.ts";
import { SchemaMismatchError } from "./endpoint.ts";
import { mergeValues } from "./merge.ts";
import { shapeOf } from "./shape.ts";

/**
 * Merges an apply configuration of a MutatingAdmissionPolicy into an object: a server-side apply without managers.
 * It can't remove fields or set atomic lists, maps and structs.
 *
 * @throws SchemaMismatchError with the API server's message
 */
export function mergeApplyConfiguration(
  live: JSONObject,
  applied: JSONObject,
  schema: SchemaNode | undefined,
): JSONObject {
  const mismatch = mismatchOf(applied, schema);
  if (mismatch !== undefined) {
    throw new SchemaMismatchError(`failed to convert patch object to typed object: ${mismatch}`);
  }
  const atomic = [...findAtomic(applied, schema, "")];
  if (atomic.length > 0) {
    const what = "may not mutate atomic arrays, maps or structs";
    throw new SchemaMismatchError(`invalid ApplyConfiguration: ${what}: ${atomic.join(", ")}`);
  }
  return mergeValues(live, applied, schema) as JSONObject;
}

/** The paths of atomic lists, maps and structs in fields that the schema declares. */
function* findAtomic(value: JSONValue, schema: SchemaNode | undefined, path: string): Generator<string> {
  if (!schema || typeof value !== "object" || value === null) return;
  if (shapeOf(value, schema).kind === "leaf") yield path;
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (isDeclared(schema, name)) yield* findAtomic(member, schema.properties![name], `${path}.${name}`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findAtomic(item, schema.items, `${path}[${index}]`);
  }
}
