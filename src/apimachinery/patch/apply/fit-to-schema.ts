import { isObject, type JSONValue, memberOf } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { memberSchema } from "../member-schema.ts";
import { type FieldSet, fieldSet, ownedLeaf } from "./field-set.ts";
import { groupItems } from "./list-items.ts";
import { fieldNameOf, type PathElement } from "./path-element.ts";
import { shapeOf } from "./shape.ts";

/**
 * Adapts a set to a schema in which values have become atomic: owners of fields below such a value own the value.
 * Nothing changes for values that are no longer atomic: their owners keep that path only.
 */
export function fitToSchema(set: FieldSet, value: JSONValue, schema: SchemaNode | undefined): FieldSet {
  if (set.children.size === 0 || isFreeForm(schema)) return set;
  const shape = shapeOf(value, schema);
  if (shape.kind === "leaf") return typeof value === "object" && value !== null ? ownedLeaf : set;
  if (shape.kind === "object" && isObject(value)) {
    return fitChildren(set, (element) => {
      const name = fieldNameOf(element) ?? "";
      return { value: memberOf(value, name), schema: memberSchema(schema, name) };
    });
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    const groups = groupItems(value, shape.keys, schema?.items);
    return fitChildren(set, (element) => ({ value: groups.get(element)?.[0], schema: schema?.items }));
  }
  return set;
}

/** An object without a schema: owners of its members keep them. */
function isFreeForm(schema: SchemaNode | undefined): boolean {
  if (schema?.type !== "object" || schema.properties) return false;
  return typeof schema.additionalProperties !== "object" && schema.additionalProperties !== false;
}

/** Adapts the children of a set; returns the same set if nothing changes. */
function fitChildren(
  set: FieldSet,
  find: (element: PathElement) => { value: JSONValue | undefined; schema: SchemaNode | undefined },
): FieldSet {
  let changed = false;
  const children = [...set.children].map(([element, child]) => {
    const below = child.children.size === 0 ? undefined : find(element);
    const fitted = below?.value === undefined ? child : fitToSchema(child, below.value, below.schema);
    changed ||= fitted !== child;
    return [element, fitted] as const;
  });
  return changed ? fieldSet(set.owned, children) : set;
}
