import { isEqual, isObject, type JSONValue, memberOf, unionOfKeys } from "../../json/index.ts";
import { type SchemaNode, memberSchema } from "../schema-node.ts";
import type { FieldSet, PathElement } from "./field-set.ts";
import { emptySet, fieldElement, fieldSet, ownedLeaf, union } from "./field-set.ts";
import { type Shape, groupItems, hasContent, shapeOf, shapesOf } from "./shape.ts";

/** The changes of one write, as sets of fields. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const unchanged: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

/** A value; undefined if it is absent. */
type Value = JSONValue | undefined;

/** Compares two states of a value field by field. Added fields include both an added struct and its fields. */
export function compareFields(from: Value, to: Value, schema: SchemaNode | undefined): Comparison {
  if (from === to) return unchanged;
  if (from === undefined) return { ...unchanged, added: addedFields(to, schema) };
  const [shape, newShape] = shapesOf(from, to, schema);
  const comparison = compareAs(shape, from, to, schema);
  return newShape ? uniteComparisons(comparison, compareAs(newShape, from, to, schema)) : comparison;
}

/** A value whose type changed is compared as both types: the old fields are removed, the new ones added. */
function compareAs(shape: Shape, from: Value, to: Value, schema: SchemaNode | undefined): Comparison {
  if (shape.kind === "leaf" || !(hasContent(from, shape) || hasContent(to, shape))) {
    return compareLeaves(from, to);
  }
  const parts =
    shape.kind === "object" ? compareMembers(from, to, schema) : compareItems(from, to, schema, shape.keys);
  if (parts.length === 0 && to !== undefined) return unchanged;
  // A value that is removed as a whole has no added or modified fields.
  return {
    added: to === undefined ? emptySet : fieldSet(false, sideOf(parts, "added")),
    modified: to === undefined ? emptySet : fieldSet(false, sideOf(parts, "modified")),
    removed: fieldSet(to === undefined, sideOf(parts, "removed")),
  };
}

/** Returns the fields of a value that is new as a whole, as nearly all values of a created object are. */
function addedFields(value: Value, schema: SchemaNode | undefined): FieldSet {
  if (value === undefined) return emptySet;
  const shape = shapeOf(value, schema);
  if (shape.kind === "object" && isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => {
      return [fieldElement(name), addedFields(member, memberSchema(schema, name))] as const;
    });
    return fieldSet(true, members);
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    const items = schema?.items;
    const groups = [...groupItems(value, shape.keys, items)].map(([element, group]) => {
      return [element, group.length > 1 ? ownedLeaf : addedFields(group[0], items)] as const;
    });
    return fieldSet(true, groups);
  }
  return ownedLeaf;
}

function uniteComparisons(a: Comparison, b: Comparison): Comparison {
  return {
    added: union(a.added, b.added),
    modified: union(a.modified, b.modified),
    removed: union(a.removed, b.removed),
  };
}

function compareLeaves(from: Value, to: Value): Comparison {
  if (to === undefined) return { ...unchanged, removed: ownedLeaf };
  return isEqual(from, to) ? unchanged : { ...unchanged, modified: ownedLeaf };
}

/** The comparisons of the members or items that differ. */
type Parts = readonly (readonly [PathElement, Comparison])[];

function compareMembers(from: Value, to: Value, schema: SchemaNode | undefined): Parts {
  const before = isObject(from) ? from : {};
  const after = isObject(to) ? to : {};
  const parts: (readonly [PathElement, Comparison])[] = [];
  for (const name of unionOfKeys(before, after)) {
    const [one, other] = [memberOf(before, name), memberOf(after, name)];
    if (one === other) continue;
    const comparison = compareFields(one, other, memberSchema(schema, name));
    if (comparison !== unchanged) parts.push([fieldElement(name), comparison]);
  }
  return parts;
}

function compareItems(
  from: Value,
  to: Value,
  schema: SchemaNode | undefined,
  keys: readonly string[],
): Parts {
  const before = groupItems(Array.isArray(from) ? from : [], keys, schema?.items);
  const after = groupItems(Array.isArray(to) ? to : [], keys, schema?.items);
  const parts: (readonly [PathElement, Comparison])[] = [];
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const [group, other] = [before.get(element) ?? [], after.get(element) ?? []];
    const comparison = compareGroups(group, other, schema?.items);
    if (comparison !== unchanged) parts.push([element, comparison]);
  }
  return parts;
}

/**
 * Duplicate items of a list map or set are compared as one group. When an item becomes a group, or a group an item, the
 * item is removed or added with all of its fields.
 */
function compareGroups(
  from: readonly JSONValue[],
  to: readonly JSONValue[],
  items: SchemaNode | undefined,
): Comparison {
  if (from.length > 1 && to.length > 1) {
    return isEqual(from, to) ? unchanged : { ...unchanged, modified: ownedLeaf };
  }
  if (from.length > 1) return { ...compareFields(undefined, to[0], items), removed: ownedLeaf };
  if (to.length > 1) return { ...compareFields(from[0], undefined, items), added: ownedLeaf };
  return compareFields(from[0], to[0], items);
}

function sideOf(parts: Parts, side: keyof Comparison): (readonly [PathElement, FieldSet])[] {
  return parts.map(([element, comparison]) => [element, comparison[side]]);
}
