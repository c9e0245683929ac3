import type { SchemaSources, Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import { orNull } from "./or-null.ts";
import type { Schema } from "./schema.ts";
import type { SchemaBuilder } from "./schema-builder.ts";
import { settle } from "./settle.ts";
import { problem } from "./type-schema.ts";
import { isKeyword, isNothing, unionMembers } from "./union-members.ts";
import { variantsSchema } from "./variants-schema.ts";
import { placeOf } from "./environment.ts";

/** An enum; its values keep their source order. */
export function enumSchema(values: readonly (string | number | bigint | boolean)[]): Schema {
  const types = new Set(values.map((value) => (typeof value === "bigint" ? "number" : typeof value)));
  const isIntegral = values.every((value) => typeof value === "bigint" || Number.isInteger(value));
  const isBoth = types.has("string") && types.has("number") && types.size === 2;
  if (types.size === 1 && types.has("boolean") && values.length === 2) return { type: "boolean" };
  if (isBoth)
    return {
      enum: values,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
    };
  if (types.size > 1) return { enum: values };
  const [type] = types;
  return { type: type === "number" ? (isIntegral ? "integer" : "number") : (type ?? "string"), enum: values };
}

/**
 * A union: an enum for literals, nullable with null, int-or-string for numbers and strings, and variants for objects.
 */
export function unionSchema(typed: Typed, builder: SchemaBuilder): Schema {
  const members = unionMembers(typed, builder.sources);
  const isNullable = members.some((member) => isKeyword(member, "null"));
  const only = onlyMember(typed, builder.sources);
  const schema = only
    ? builder.use(only)
    : withoutNull(
        members.filter((member) => !isNothing(member)),
        typed,
        builder,
      );
  return isNullable ? orNull(schema) : schema;
}

/** The single member beside null and undefined, as it is written: a named type keeps its description. */
function onlyMember({ node, env }: Typed, sources: SchemaSources): Typed | undefined {
  if (node.kind !== "union") return undefined;
  const [first, ...others] = node.members
    .map((member): Typed => ({ node: member, env }))
    .filter((member) => !unionMembers(member, sources).every(isNothing));
  return others.length === 0 ? first : undefined;
}

function withoutNull(members: readonly Typed[], typed: Typed, builder: SchemaBuilder): Schema {
  const [first] = members;
  if (!first) return problem(typed, "a union of null and undefined is not supported in a schema");
  if (members.length === 1) return builder.use(first);
  const literals = members.map((member) => literalValues(member, builder.sources));
  if (!literals.includes(undefined))
    return checkedEnum(
      literals.flatMap((values) => values ?? []),
      typed,
    );
  const variants = variantsSchema(members, typed, builder);
  if (variants) return variants;
  const schemas = members.map((member, i) => {
    const values = literals[i];
    return values ? enumSchema(values) : settle(builder.use(member), placeOf(member), builder.sources.log);
  });
  return scalarUnion(schemas, typed);
}

function checkedEnum(values: readonly (string | number | bigint | boolean)[], typed: Typed): Schema {
  const schema = enumSchema([...new Set(values)]);
  if (schema.type || schema["x-kubernetes-int-or-string"]) return schema;
  return problem(
    typed,
    "an enum mixes booleans with other values",
    "a structural schema has a single type: use strings",
  );
}

/** `"auto" | string` is a string, `int32 | string` an int-or-string; other unions have no single type. */
function scalarUnion(schemas: readonly Schema[], typed: Typed): Schema {
  const isIntOrString = (schema: Schema): boolean => schema["x-kubernetes-int-or-string"] === true;
  const types = new Set(
    schemas.flatMap((schema) => (isIntOrString(schema) ? ["integer", "string"] : [schema.type])),
  );
  const wide = schemas.filter((schema) => !schema.enum);
  const [only] = types;
  if (types.size === 1 && wide.length > 0 && only !== undefined && only !== "object" && only !== "array") {
    return { ...(wide.length === 1 ? wide[0] : { type: only }) };
  }
  const isNumberOrString =
    types.size === 2 && types.has("string") && (types.has("integer") || types.has("number"));
  if (isNumberOrString)
    return { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };
  return problem(
    typed,
    "the members of this union have no common type",
    "a structural schema has a single type: use an object with one optional field for each",
  );
}
