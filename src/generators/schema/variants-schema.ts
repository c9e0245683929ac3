import { celName } from "./cel-name.ts";
import { placeOf, type Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import { objectSchema } from "./object-schema.ts";
import type { Rule, Schema } from "./schema.ts";
import type { SchemaBuilder } from "./schema-builder.ts";
import { type Property, type Shape, shapeOf } from "./shape.ts";
import { problem } from "./type-schema.ts";

/**
 * Converts a union of object types to one object: a structural schema does not allow alternatives, so it has all
 * properties, and CEL rules for which belong together. Undefined if a member is not an object type.
 */
export function variantsSchema(
  members: readonly Typed[],
  typed: Typed,
  builder: SchemaBuilder,
): Schema | undefined {
  const shapes = members.map((member) => shapeOf(member, builder.sources));
  if (shapes.includes(undefined)) return undefined;
  const variants = shapes as Shape[];
  if (variants.some(({ index }) => index)) {
    return problem(
      typed,
      "a union of maps is not supported in a structural schema",
      "use a separate field for each",
    );
  }
  const discriminator = findDiscriminator(variants, builder);
  const common = [...variants[0]!.properties.keys()].filter(
    (name) => name !== discriminator?.name && variants.every(({ properties }) => properties.has(name)),
  );
  const joined = joinVariants(variants, discriminator?.name, typed, builder);
  if ("conflict" in joined) return joined.conflict;
  const schema = objectSchema(joined.shape, builder, [], placeOf(typed));
  if (discriminator) {
    schema.properties = {
      ...schema.properties,
      [discriminator.name]: {
        ...schema.properties?.[discriminator.name],
        type: "string",
        enum: discriminator.values.flat(),
      },
    };
  }
  const rules = discriminator
    ? discriminatedRules(variants, discriminator, common)
    : taggedRules(variants, common);
  const required = [...(discriminator ? [discriminator.name] : []), ...common].filter((name) =>
    variants.every(({ properties }) => properties.get(name)?.optional === false),
  );
  schema.required = required.length > 0 ? required.sort() : undefined;
  schema["x-kubernetes-validations"] = [...(schema["x-kubernetes-validations"] ?? []), ...rules];
  return schema;
}

interface Discriminator {
  readonly name: string;
  /** The discriminator values of each variant. */
  readonly values: readonly (readonly string[])[];
}

/** A required property with distinct string literals in the variants. */
function findDiscriminator(variants: readonly Shape[], builder: SchemaBuilder): Discriminator | undefined {
  for (const [name] of variants[0]!.properties) {
    const values = variants.map(({ properties }) => {
      const property = properties.get(name);
      const literals =
        property && !property.optional ? literalValues(property.type, builder.sources) : undefined;
      return literals?.every((value) => typeof value === "string") ? literals : undefined;
    });
    if (values.includes(undefined)) continue;
    const all = (values as string[][]).flat();
    if (new Set(all).size === all.length) return { name, values: values as string[][] };
  }
  return undefined;
}

/** Combines the properties of all variants; shared ones must have the same schema. */
function joinVariants(
  variants: readonly Shape[],
  discriminator: string | undefined,
  typed: Typed,
  builder: SchemaBuilder,
): { readonly shape: Shape } | { readonly conflict: Schema } {
  const properties = new Map<string, Property>();
  const schemas = new Map<string, string>();
  for (const variant of variants) {
    for (const property of variant.properties.values()) {
      const schema = JSON.stringify(property.schema ?? builder.finished(property.type));
      const known = schemas.get(property.name);
      if (known !== undefined && known !== schema && property.name !== discriminator) {
        const message = `the variants of this union have different types for "${property.name}"`;
        return {
          conflict: problem(
            typed,
            message,
            "a structural schema has a single type for it: rename one of the fields",
          ),
        };
      }
      schemas.set(property.name, schema);
      if (!properties.has(property.name)) properties.set(property.name, { ...property, optional: true });
    }
  }
  const foreign = variants.flatMap((variant) => variant.foreign);
  return { shape: { properties, index: undefined, foreign } };
}

/** For each field of a variant: required or allowed only with its discriminator values. */
function discriminatedRules(
  variants: readonly Shape[],
  { name: tag, values }: Discriminator,
  common: readonly string[],
): Rule[] {
  const owners = new Map<string, { tags: string[]; required: boolean }>();
  for (const [i, variant] of variants.entries()) {
    for (const property of variant.properties.values()) {
      if (property.name === tag || common.includes(property.name)) continue;
      const owner = owners.get(property.name) ?? { tags: [], required: true };
      owners.set(property.name, {
        tags: [...owner.tags, ...values[i]!],
        required: owner.required && !property.optional,
      });
    }
  }
  return [...owners].map(([name, { tags, required }]) => {
    const [first, ...others] = tags;
    const isTag =
      others.length === 0
        ? `self.${celName(tag)} == '${first}'`
        : `self.${celName(tag)} in [${tags.map((value) => `'${value}'`).join(", ")}]`;
    const when = `${tag} is ${tags.join(" or ")}`;
    return required
      ? {
          rule: `${isTag} ? has(self.${celName(name)}) : !has(self.${celName(name)})`,
          message: `${name} is required when ${when}, and forbidden otherwise`,
        }
      : { rule: `!has(self.${celName(name)}) || ${isTag}`, message: `${name} is allowed only when ${when}` };
  });
}

/** Variants with one distinct required field each: exactly one of these fields must be set. */
function taggedRules(variants: readonly Shape[], common: readonly string[]): Rule[] {
  const own = variants.map(({ properties }) =>
    [...properties.values()].filter(({ name }) => !common.includes(name)),
  );
  const tags = own.map((properties) => properties.find(({ optional }) => !optional)?.name);
  if (tags.includes(undefined)) return [];
  const names = tags as string[];
  const rules: Rule[] = [
    {
      rule: `${names.map((name) => `(has(self.${celName(name)})?1:0)`).join("+")} == 1`,
      message: `exactly one of the fields in [${names.join(" ")}] must be set`,
    },
  ];
  for (const [i, properties] of own.entries()) {
    for (const { name, optional } of properties) {
      if (name === names[i]) continue;
      rules.push(
        optional
          ? {
              rule: `!has(self.${celName(name)}) || has(self.${celName(names[i]!)})`,
              message: `${name} is allowed only with ${names[i]}`,
            }
          : {
              rule: `has(self.${celName(names[i]!)}) == has(self.${celName(name)})`,
              message: `${name} is required with ${names[i]}, and forbidden otherwise`,
            },
      );
    }
  }
  return rules;
}
