import { mergeInto } from "./merge.ts";
import { orNull } from "./or-null.ts";
import type { Schema } from "./schema.ts";
import type { SchemaBuilder } from "./schema-builder.ts";
import { settle } from "./settle.ts";
import { declarationsOf, type Property } from "./property.ts";

/** The schema of a property's type; of one that several members of an intersection declare, what all of them allow. */
export function propertySchema(property: Property, builder: SchemaBuilder): Schema {
  if (!property.others) return declaredSchema(property, builder);
  const [last, ...others] = declarationsOf(property).map((one) => declaredSchema(one, builder));
  const { log } = builder.sources;
  const place = { module: property.env.module, pos: property.pos };
  return others.reduce(
    (joined, other) =>
      intersect(joined, settle(other, place, log), ({ message, hint }) => log.error(place, message, hint)),
    settle(last!, place, log),
  );
}

/** Those of built-in types are precomputed. */
function declaredSchema({ schema, type }: Property, builder: SchemaBuilder): Schema {
  return schema ? { ...schema } : builder.use(type);
}

/** Merges two schemas of one value, which is null only where both allow it. */
function intersect(one: Schema, other: Schema, onConflict: Parameters<typeof mergeInto>[2]): Schema {
  if (JSON.stringify(one, bigintText) === JSON.stringify(other, bigintText)) return one;
  const both = <T extends Schema>(left: T | undefined, right: T | undefined): Schema | undefined =>
    left && right ? intersect(left, right, onConflict) : (left ?? right);
  const { items, properties = {}, additionalProperties, ...rest } = other;
  const joined: Schema = { ...one };
  mergeInto(joined, rest, onConflict);
  joined.nullable = undefined;
  joined.items = both(one.items, items);
  // A property may be named __proto__, so this is not a plain object yet.
  const named = new Map(Object.entries(one.properties ?? {}));
  for (const [name, schema] of Object.entries(properties)) named.set(name, both(named.get(name), schema)!);
  if (named.size > 0) joined.properties = Object.fromEntries(named);
  if (typeof additionalProperties === "object") {
    const values = one.additionalProperties;
    joined.additionalProperties = both(typeof values === "object" ? values : undefined, additionalProperties);
  } else joined.additionalProperties = one.additionalProperties ?? additionalProperties;
  return one.nullable && other.nullable ? orNull(joined) : joined;
}

const bigintText = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
