import { isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import { memberSchema } from "../member-schema.ts";
import type { SchemaNode } from "../schema-node.ts";
import type { Endpoint } from "./endpoint.ts";
import type { FieldSet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { shapeOf } from "./shape.ts";

/** So many structures of a schema are remembered; objects that all differ forget them again. */
const mostStructures = 200;
const longestStructure = 4096;

const known = new WeakMap<SchemaNode, Map<string, FieldSet>>();

/**
 * Returns the fields that the creation of an object sets. Most objects of a kind have the same members, and so the same
 * fields: they share one set, whose encoding is known, too.
 */
export async function createdFields(
  endpoint: Endpoint,
  object: JSONObject,
  compute: () => Promise<FieldSet>,
): Promise<FieldSet> {
  const schema = endpoint.schemaOf(endpoint.apiVersion);
  // The structs of an empty object may have values, and conversion may change what members there are.
  if (!schema || endpoint.emptyObject || object["apiVersion"] !== endpoint.apiVersion) return compute();
  const structure = `${endpoint.subresource ?? ""}${structureOf(object, schema)}`;
  if (structure.length > longestStructure) return compute();
  return known.get(schema)?.get(structure) ?? remember(schema, structure, await compute());
}

/** Returns the set that was remembered first: a creation at the same time has computed it, too. */
function remember(schema: SchemaNode, structure: string, fields: FieldSet): FieldSet {
  const structures = known.get(schema) ?? new Map<string, FieldSet>();
  const first = structures.get(structure);
  if (first) return first;
  if (structures.size === mostStructures) structures.clear();
  known.set(schema, structures.set(structure, fields));
  return fields;
}

/** Which fields a value has, but not their values. Texts have their lengths before them, so that no two structures are written alike. */
function structureOf(value: JSONValue, schema: SchemaNode | undefined): string {
  if (typeof value !== "object") return ";";
  const shape = shapeOf(value, schema);
  let inside = "";
  if (shape.kind === "object" && isObject(value)) {
    for (const name of Object.keys(value)) {
      inside += `${name.length}:${name}${structureOf(value[name]!, memberSchema(schema, name))}`;
    }
    return `{${inside}}`;
  }
  if (shape.kind !== "list" || !Array.isArray(value)) return ";";
  for (const item of value) {
    const element = itemElement(item, shape.keys, schema?.items);
    if (element !== undefined) inside += `${element.length}:${element}${structureOf(item, schema?.items)}`;
  }
  return `[${inside}]`;
}
