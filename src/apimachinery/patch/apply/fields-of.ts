import { isObject, type JSONValue } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { isDeclared, memberSchema } from "../member-schema.ts";
import { emptySet, type FieldSet, fieldSet, ownedLeaf } from "./field-set.ts";
import { groupItems } from "./list-items.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import { shapeOf } from "./shape.ts";

/**
 * Returns the fields that an applier of an object owns, by its schema.
 * Structs are not owned, only their fields; keys of maps and items of lists are owned.
 */
export function fieldsOf(value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  const shape = shapeOf(value, schema);
  if (shape.kind === "leaf") return ownedLeaf;
  if (shape.kind === "object" && isObject(value)) {
    return fieldSet(
      false,
      Object.entries(value).map(([name, member]) => {
        const below = fieldsOf(member, memberSchema(schema, name));
        const owned = below.owned || isEmptyObject(member) || !isDeclared(schema, name);
        return [fieldElement(name), fieldSet(owned, below.children)] as const;
      }),
    );
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    return fieldSet(
      false,
      [...groupItems(value, shape.keys, schema?.items)].map(([element, [item]]) => {
        return [element, fieldSet(true, fieldsOf(item!, schema?.items).children)] as const;
      }),
    );
  }
  return emptySet;
}

/** Adds the structs that contain fields of a set: they are removed with their last field. */
export function withStructs(set: FieldSet, schema: SchemaNode | undefined): FieldSet {
  return fieldSet(
    set.owned,
    [...set.children].map(([element, child]) => {
      const name = fieldNameOf(element);
      const below = withStructs(child, name === undefined ? schema?.items : memberSchema(schema, name));
      const isStruct = name !== undefined && isDeclared(schema, name);
      return [element, fieldSet(below.owned || isStruct, below.children)] as const;
    }),
  );
}

function isEmptyObject(value: JSONValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
