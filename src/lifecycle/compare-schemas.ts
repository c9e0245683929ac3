import { isEqual, memberOf } from "@tsbuilder/apimachinery/json";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import {
  compareKeywords,
  compareTypes,
  refusedWith,
  typeOf,
  withoutDescriptions,
} from "./compare-keywords.ts";
import type { Aim, SchemaChange, Step } from "./schema-change.ts";

type Steps = readonly Step[];

/**
 * Compares two schemas of the same version, and all schemas inside them. Nothing below a changed type or a removed field is
 * compared.
 */
export function compareSchemas(old: JSONSchema, next: JSONSchema, steps: Steps = []): SchemaChange[] {
  if (isEqual(old, next)) return [];
  const type = compareTypes(old, next, steps);
  if (type?.rule === "type-changed") return [type];
  return [
    ...(type ? [type] : []),
    ...compareKeywords(old, next, steps),
    ...compareFields(old, next, steps),
    ...compareRequired(old, next, steps),
    ...compareContents(old, next, steps),
    ...compareUnknownFields(old, next, steps),
  ];
}

const fieldOf = (steps: Steps, property: string): Steps => [...steps, { property }];

function compareFields(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [before, now] = [old.properties ?? {}, next.properties ?? {}];
  const changes = Object.entries(before).flatMap(([name, schema]) => {
    const after = memberOf(now, name);
    if (after) return compareSchemas(schema, after, fieldOf(steps, name));
    // Without a field in the schema, its value is kept where unknown fields are.
    return unknownFieldsOf(next) ? [] : [removal(name, before, now, steps)];
  });
  const added = Object.entries(now).filter(([name, schema]) => {
    const isRequired = next.required?.includes(name) === true && schema.default === undefined;
    return !memberOf(before, name) && !isRequired;
  });
  return [
    ...changes,
    ...added.map(([name]): SchemaChange => ({
      rule: "field-added",
      steps: fieldOf(steps, name),
      message: "the field was added",
    })),
  ];
}

type Fields = Readonly<Record<string, JSONSchema>>;

function removal(name: string, before: Fields, now: Fields, parent: Steps): SchemaChange {
  const aim: Aim = { expects: "lost" };
  const steps = fieldOf(parent, name);
  const names = Object.keys(before);
  // The sources have no line of the removed field: the field before it is shown, or else one behind it.
  const near = [...names.slice(0, names.indexOf(name)).toReversed(), ...names, ...Object.keys(now)].find(
    (other) => memberOf(now, other),
  );
  const beside = near === undefined ? parent : fieldOf(parent, near);
  const successor = successorOf(name, before, now);
  const message =
    successor === undefined
      ? "the field was removed"
      : `the field was removed; the new field ${successor} has its schema`;
  return { rule: successor === undefined ? "field-removed" : "field-renamed", steps, message, aim, beside };
}

/** Finds a new field with the schema of a removed field. Short schemas, such as that of a plain text, are too common to tell. */
function successorOf(name: string, before: Fields, now: Fields): string | undefined {
  const schema = withoutDescriptions(before[name]);
  if (JSON.stringify(schema).length <= 40) return undefined;
  return Object.keys(now).find(
    (other) => !memberOf(before, other) && isEqual(withoutDescriptions(now[other]), schema),
  );
}

function compareRequired(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  // The API server sets a required field that has a default, so that no object lacks it.
  const [before, now] = [old, next].map(({ required = [], properties = {} }) =>
    required.filter((name) => memberOf(properties, name)?.default === undefined),
  ) as [string[], string[]];
  const isRemoved = (name: string): boolean =>
    memberOf(old.properties ?? {}, name) !== undefined && !memberOf(next.properties ?? {}, name);
  const added = now.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !now.includes(name) && !isRemoved(name));
  return [
    ...added.map((name): SchemaChange => ({
      rule: "required-added",
      steps: fieldOf(steps, name),
      message: "the field is now required",
      aim: { ...refusedWith(/Required/u), isAbsent: true },
    })),
    ...removed.map((name): SchemaChange => ({
      rule: "required-removed",
      steps: fieldOf(steps, name),
      message: "the field was required and is now optional",
      aim: { expects: "refused", isReversed: true, isAbsent: true },
    })),
  ];
}

/** Compares the items of lists and the values of maps. */
function compareContents(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [items, newItems] = [itemsOf(old), itemsOf(next)];
  const [values, newValues] = [valuesOf(old), valuesOf(next)];
  return [
    ...(items && newItems ? compareSchemas(items, newItems, [...steps, "items"]) : []),
    ...(values && newValues ? compareSchemas(values, newValues, [...steps, "additionalProperties"]) : []),
  ];
}

/** Compares whether fields that the schema does not name are stored. */
function compareUnknownFields(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [before, now] = [unknownFieldsOf(old), unknownFieldsOf(next)];
  if (before && !now) {
    const schema: JSONSchema = {
      ...old,
      minProperties: Math.max(old.minProperties ?? 0, 1),
      additionalProperties: valuesOf(old) ?? { type: "string" },
    };
    const message = "fields that are not in the schema were stored and are now dropped";
    return [
      { rule: "unknown-fields-pruned", steps, keyword: before, message, aim: { expects: "lost", schema } },
    ];
  }
  if (before || !now || typeOf(old) !== "object") return [];
  const message = "fields that are not in the schema are now stored";
  return [{ rule: "unknown-fields-kept", steps, message }];
}

/** Returns the keyword by which a schema keeps fields that it does not name. */
function unknownFieldsOf(
  schema: JSONSchema,
): "additionalProperties" | "x-kubernetes-preserve-unknown-fields" | undefined {
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false)
    return "additionalProperties";
  const keyword = "x-kubernetes-preserve-unknown-fields";
  return schema[keyword] === true ? keyword : undefined;
}
