import type { JSONValue } from "@tsbuilder/apimachinery/meta";
import { isObject } from "../json.ts";
import type { SchemaNode } from "../schema-node.ts";
import { emptySet, type FieldSet, fieldSet, ownedLeaf } from "./field-set.ts";
import { groupItems } from "./list-items.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import { isDeclared, memberSchema, shapeOf } from "./shape.ts";

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

/**
 * Fits a set to a schema that has become coarser: what was owned below a value that is now atomic is the value.
 * The other way needs nothing: the owner of a once atomic value goes on owning just that path.
 */
export function fitToSchema(set: FieldSet, value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  if (set.children.size === 0) return set;
  const shape = shapeOf(value, schema);
  if (shape.kind === "leaf") return typeof value === "object" && value !== null ? ownedLeaf : set;
  const values = valuesByElement(value, schema);
  return fieldSet(
    set.owned,
    [...set.children].map(([element, child]) => {
      const below = values.get(element);
      return [element, below ? fitToSchema(child, below.value, below.schema) : child] as const;
    }),
  );
}

interface SchemaValue {
  readonly value: JSONValue;
  readonly schema: SchemaNode | undefined;
}

function valuesByElement(value: JSONValue, schema: SchemaNode | undefined): Map<string, SchemaValue> {
  const shape = shapeOf(value, schema);
  const values = new Map<string, SchemaValue>();
  if (shape.kind === "object" && isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      values.set(fieldElement(name), { value: member, schema: memberSchema(schema, name) });
    }
  } else if (shape.kind === "list" && Array.isArray(value)) {
    for (const [element, [item]] of groupItems(value, shape.keys, schema?.items)) {
      values.set(element, { value: item!, schema: schema?.items });
    }
  }
  return values;
}

function isEmptyObject(value: JSONValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
