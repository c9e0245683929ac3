import { isObject, type JSONObject, type JSONValue, setMember } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { memberSchema } from "../member-schema.ts";
import { childOf, type FieldSet, isEmptySet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import { shapeOf } from "./shape.ts";

/**
 * Removes the fields of a set from a value, each with all fields below it.
 * A list or object that becomes empty is set to null, as on the API server: built-in kinds read null as absent, and a
 * custom resource is rejected if its schema doesn't allow null.
 */
export function removeFields(value: JSONValue, set: FieldSet, schema: SchemaNode | undefined): JSONValue {
  if (isEmptySet(set)) return value;
  const shape = shapeOf(value, schema);
  if (shape.kind === "object" && isObject(value)) return removeMembers(value, set, schema);
  if (shape.kind === "list" && Array.isArray(value)) return removeItems(value, set, schema, shape.keys);
  return value;
}

function removeMembers(object: JSONObject, set: FieldSet, schema: SchemaNode | undefined): JSONValue {
  const kept: JSONObject = {};
  for (const [name, member] of Object.entries(object)) {
    const below = childOf(set, fieldElement(name));
    if (!below.owned) setMember(kept, name, removeFields(member, below, memberSchema(schema, name)));
  }
  return Object.keys(kept).length === 0 && Object.keys(object).length > 0 ? null : kept;
}

function removeItems(
  list: readonly JSONValue[],
  set: FieldSet,
  schema: SchemaNode | undefined,
  keys: readonly string[],
): JSONValue {
  const kept = list.flatMap((item) => {
    const element = itemElement(item, keys, schema?.items);
    if (element === undefined) return [item];
    const below = childOf(set, element);
    return below.owned ? [] : [removeFields(item, below, schema?.items)];
  });
  return kept.length === 0 && list.length > 0 ? null : kept;
}
