import { hasCelName } from "./cel-name.ts";
import { limitDescriptions } from "./descriptions.ts";
import { placeOf, type Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import { type BuiltField, buildFields, keptOnceSet, reportForeign } from "./object-schema.ts";
import { propertySchema } from "./property-schema.ts";
import { originKey, type Schema } from "./schema.ts";
import type { SchemaBuilder } from "./schema-builder.ts";
import { declarationsOf, type Shape } from "./property.ts";
import { problem } from "./type-schema.ts";
import { enumSchema } from "./union-schema.ts";
import { type Discriminator, variantRules } from "./variant-rules.ts";
import { variantsOf } from "./variants.ts";

/**
 * Converts a union of object types to one object: a structural schema does not allow alternatives, so it has all
 * properties, and CEL rules for which belong together. Undefined if a member is not an object type.
 */
export function variantsSchema(
  members: readonly Typed[],
  typed: Typed,
  builder: SchemaBuilder,
): Schema | undefined {
  const shapes = variantsOf(members, builder.sources);
  return shapes && builder.unlessEndless(typed, () => unite(shapes, typed, builder));
}

/** A variant with its schemas. */
interface Variant {
  readonly shape: Shape;
  readonly fields: ReadonlyMap<string, BuiltField>;
}

function unite(shapes: readonly Shape[], typed: Typed, builder: SchemaBuilder): Schema {
  if (shapes.length === 0) return problem(typed, "no value matches a variant of this union");
  if (shapes.some(({ index }) => index)) {
    return problem(
      typed,
      "a union of maps is not supported in a structural schema",
      "use a separate field for each",
    );
  }
  const variants = shapes.map((shape): Variant => {
    reportForeign(shape, builder.sources.log);
    const fields = buildFields(shape, builder);
    return { shape, fields: new Map(fields.map((field) => [field.name, field])) };
  });
  const discriminator = findDiscriminator(variants, builder);
  const found = findProblem(variants, discriminator, typed, builder);
  if (found) return found;
  const properties = new Map<string, Schema>();
  const immutable = new Set<string>();
  for (const field of variants.flatMap(({ fields }) => [...fields.values()])) {
    if (!properties.has(field.name)) properties.set(field.name, field.schema);
    if (field.isImmutable) immutable.add(field.name);
  }
  if (discriminator) {
    const { name, values } = discriminator;
    const own = { ...properties.get(name), enum: undefined };
    properties.set(name, { ...own, ...enumSchema(values.flat()) });
  }
  const required = [...properties.keys()].filter((name) =>
    variants.every(({ fields }) => fields.get(name)?.isRequired),
  );
  const rules = [
    ...[...immutable].filter((name) => !required.includes(name)).map(keptOnceSet),
    ...variantRules(
      variants.map(
        ({ fields }) => new Map([...fields.values()].map((field) => [field.name, isDemanded(field)])),
      ),
      discriminator,
    ),
  ];
  return {
    type: "object",
    [originKey]: { place: placeOf(typed), markers: new Map() },
    properties: properties.size > 0 ? Object.fromEntries(properties) : undefined,
    required: required.length > 0 ? required.sort() : undefined,
    "x-kubernetes-validations": rules.length > 0 ? rules : undefined,
  };
}

/** For CEL, a field that is null is not there: a rule that requires it would reject null. */
function isDemanded({ isRequired, schema }: BuiltField): boolean {
  return isRequired && schema.nullable !== true;
}

/** A required property with distinct literals of one type in the variants. */
function findDiscriminator(variants: readonly Variant[], builder: SchemaBuilder): Discriminator | undefined {
  if (variants.length < 2) return undefined;
  for (const name of variants[0]!.fields.keys()) {
    const values = variants.map(({ shape, fields }) => {
      const property = shape.properties.get(name);
      if (!property || !fields.get(name)?.isRequired) return undefined;
      return declarationsOf(property)
        .map(({ type }) => literalValues(type, builder.sources))
        .find((literals) => literals !== undefined);
    });
    if (values.includes(undefined)) continue;
    const all = (values as Discriminator["values"]).flat();
    const { type } = enumSchema(all);
    if (type === undefined || new Set(all).size !== all.length) continue;
    return { name, type: type as Discriminator["type"], values: values as Discriminator["values"] };
  }
  return undefined;
}

/** What keeps variants from sharing one object: fields that differ, defaults, names that no rule can contain. */
function findProblem(
  variants: readonly Variant[],
  discriminator: Discriminator | undefined,
  typed: Typed,
  builder: SchemaBuilder,
): Schema | undefined {
  const names = new Set(variants.flatMap(({ fields }) => [...fields.keys()]));
  for (const name of names) {
    const owners = variants.filter(({ fields }) => fields.has(name));
    if (name !== discriminator?.name) {
      const conflict = findConflict(name, owners, typed, builder);
      if (conflict) return conflict;
    }
    const isEverywhere = owners.length === variants.length;
    if (!isEverywhere && owners[0]!.fields.get(name)!.schema.default !== undefined) {
      return problem(
        typed,
        `"${name}" has a default, which the API server would also set in variants of this union without it`,
        "remove the default, or put the field into an object of its own",
      );
    }
    const isInRules =
      name === discriminator?.name || owners.some(({ fields }) => !fields.get(name)!.isRequired);
    if ((!isEverywhere || isInRules) && !hasCelName(name)) {
      return problem(
        typed,
        `no CEL rule can name the field "${name}" of this union`,
        "use a name of letters, digits, _, -, . and /",
      );
    }
  }
  return undefined;
}

/** A field has one schema, whatever the variant. */
function findConflict(
  name: string,
  owners: readonly Variant[],
  typed: Typed,
  builder: SchemaBuilder,
): Schema | undefined {
  const schemas = new Set(owners.map(({ fields }) => describe(fields.get(name)!.schema)));
  if (schemas.size === 1) return undefined;
  const types = owners.map(({ shape }) => shape.properties.get(name)!);
  const written = new Set(types.map((property) => describe(propertySchema(property, builder))));
  if (written.size === 1) {
    return problem(
      typed,
      `the variants of this union have different markers for "${name}"`,
      "repeat its markers in each variant: all variants share one schema for it",
    );
  }
  const areLiterals = types.every(({ type }) => literalValues(type, builder.sources) !== undefined);
  return problem(
    typed,
    `the variants of this union have different types for "${name}"`,
    areLiterals
      ? `make "${name}" the discriminator: a required field of every variant, with values that no other variant has`
      : "a structural schema has a single type for it: rename one of the fields",
  );
}

/** A schema without its descriptions, for comparison. */
function describe(schema: Schema): string {
  return JSON.stringify(limitDescriptions(schema, 0), (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
