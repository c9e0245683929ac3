import { mergeInto } from "./merge.ts";
import type { Schema } from "./schema.ts";
import type { SchemaBuilder } from "./schema-builder.ts";
import { settle } from "./settle.ts";
import { declarationsOf, type Property } from "./property.ts";

/** The schema of a property's type; of one that several members of an intersection declare, what all of them allow. */
export function propertySchema(property: Property, builder: SchemaBuilder): Schema {
  const [last, ...others] = declarationsOf(property).map((one) => declaredSchema(one, builder));
  if (others.length === 0) return last!;
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

function intersect(one: Schema, other: Schema, onConflict: Parameters<typeof mergeInto>[2]): Schema {
  if (JSON.stringify(one, bigintText) === JSON.stringify(other, bigintText)) return one;
  const joined: Schema = { ...one };
  mergeInto(joined, other, onConflict);
  joined.nullable = one.nullable && other.nullable;
  return joined;
}

const bigintText = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
