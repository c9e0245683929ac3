import { isObject, type JSONObject, type JSONValue, setMember } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { memberSchema } from "../member-schema.ts";
import { childOf, type FieldSet, isEmptySet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import { shapeOf } from "./shape.ts";

/**
 * Takes the fields of a set out of a value; a field goes with all that is below it.
 * Of a list or object that loses everything null stays, as on the API server: built-in kinds read it as absent,
 * and a custom resource whose schema doesn't allow null is refused.
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
