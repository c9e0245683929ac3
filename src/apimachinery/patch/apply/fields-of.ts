import { isObject, type JSONValue } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { isDeclared, memberSchema } from "../member-schema.ts";
import { emptySet, type FieldSet, fieldSet, ownedLeaf } from "./field-set.ts";
import { groupItems } from "./list-items.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import { shapeOf } from "./shape.ts";

/**
 * The fields that an object states, by its schema: what an applier of it owns.
 * A struct is not owned itself, only its fields are; a key of a map and an item of a list are.
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

/** Adds the structs that a set reaches into: they go away with the last of their fields. */
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
