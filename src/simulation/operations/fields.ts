import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type FieldName, type Random, fieldBelow } from "@tsbuilder/apimachinery/sample";
import type { Goal } from "./changes.ts";
import { isServerField } from "./places.ts";

/** The depth of the innermost fields that count. Types of Kubernetes in a spec have thousands below. */
const mostDepth = 6;

/** Returns the fields of a schema that users write to, outer ones first. Lists and maps count, as do the fields in them. */
export function fieldsOf(schema: JSONSchema): FieldName[] {
  const fields: FieldName[] = [];
  let level: (readonly [FieldName, JSONSchema])[] = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !isServerField(name),
  );
  for (let depth = 1; depth <= mostDepth && level.length > 0; depth++) {
    fields.push(...level.map(([field]) => field));
    level = level.flatMap(([field, one]) => innerFields(field, one));
  }
  return fields;
}

function innerFields(field: FieldName, schema: JSONSchema): (readonly [FieldName, JSONSchema])[] {
  if (schema["x-kubernetes-embedded-resource"]) return [];
  const inner = itemsOf(schema) ?? valuesOf(schema);
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [fieldBelow(field, name), one] as const),
    ...(inner ? innerFields(fieldBelow(field), inner) : []),
  ];
}

/** The number of fields that a plan sets out to change. */
const goalsOfPlan = 6;

/**
 * Returns the fields that a plan about one object sets out to change. Such plans take turns, so that each field is changed by one
 * of them as soon as their number allows, and outer fields come first; later ones change it in other ways. The number of
 * the plan alone decides, so that it can be made again.
 */
export function goalsOf(fields: readonly FieldName[], plan: number, random: Random): Goal[] {
  const depth = (field: FieldName): number => field.split(".").length;
  // A spec that is replaced as a whole is another object rather than a change.
  const inner = fields.filter((field) => depth(field) > 1).toSorted((a, b) => depth(a) - depth(b));
  const goals = Array.from({ length: Math.min(goalsOfPlan, inner.length) }, (_, at) => {
    const number = plan * goalsOfPlan + at;
    return { field: inner[number % inner.length]!, turn: Math.floor(number / inner.length) };
  });
  return random.shuffled(goals);
}

/** Returns the fields that differ between two versions of an object. */
export function changedFields(before: unknown, after: unknown): Set<FieldName> {
  const changed = new Set<FieldName>();
  compare(before, after, "");
  return changed;

  function compare(one: unknown, other: unknown, field: FieldName): void {
    if (isEqual(one, other)) return;
    if (field !== "") changed.add(field);
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at++)
        compare(one[at], other[at], fieldBelow(field));
    } else if (isObject(one) && isObject(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(one[name], other[name], fieldBelow(field, name));
        // The entries of a map have no names in the schema.
        compare(one[name], other[name], fieldBelow(field));
      }
    }
  }
}
