import { celLiteral, celName } from "./cel-name.ts";
import type { Rule } from "./schema.ts";

/** The fields of a variant of a union, and whether each is required. */
export type VariantFields = ReadonlyMap<string, boolean>;

/** A required field that has other values in each variant. */
export interface Discriminator {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "number";
  /** The values of each variant. */
  readonly values: readonly (readonly (string | number | boolean)[])[];
}

/** How rules tell in which variant an object is. Variants are given by their index. */
interface Choice {
  /** A CEL condition: the object is in one of these variants. */
  is(variants: readonly number[]): string;
  /** A CEL rule: a condition holds in these variants, and in no other. */
  isExactly(variants: readonly number[], condition: string): string;
  /** How a message names these variants: `when type is disk`, `with disk`. */
  words(variants: readonly number[]): string;
}

/** CEL rules for a union of objects: an object has the required fields of one variant, and no fields of others. */
export function variantRules(
  variants: readonly VariantFields[],
  discriminator: Discriminator | undefined,
): Rule[] {
  if (discriminator) return fieldRules(variants, [discriminator.name], byValue(discriminator));
  const tags = variants.map((fields, i) =>
    [...fields.keys()].find(
      (name) => fields.get(name) && variants.every((other, j) => j === i || !other.has(name)),
    ),
  );
  if (tags.includes(undefined)) return combinedRule(variants);
  const names = tags as string[];
  return [exactlyOne(names), ...fieldRules(variants, names, byPresence(names))];
}

function byValue({ name, type, values }: Discriminator): Choice {
  const field = `self.${celName(name)}`;
  const valuesOf = (variants: readonly number[]): (string | number | boolean)[] =>
    variants.flatMap((i) => values[i]!);
  const is = (variants: readonly number[]): string => {
    const written = valuesOf(variants).map((value) => celLiteral(value, type === "number"));
    return written.length === 1 ? `${field} == ${written[0]}` : `${field} in [${written.join(", ")}]`;
  };
  return {
    is,
    isExactly: (variants, condition) => `${is(variants)} ? ${condition} : !${condition}`,
    words: (variants) => `when ${name} is ${valuesOf(variants).map(shown).join(" or ")}`,
  };
}

/** Each variant has a required field of its own. */
function byPresence(names: readonly string[]): Choice {
  const is = (variants: readonly number[]): string => {
    const all = variants.map((i) => has(names[i]!));
    return all.length === 1 ? all[0]! : `(${all.join(" || ")})`;
  };
  return {
    is,
    isExactly: (variants, condition) => `${is(variants)} == ${condition}`,
    words: (variants) => `with ${variants.map((i) => names[i]!).join(" or ")}`,
  };
}

function exactlyOne(names: readonly string[]): Rule {
  return {
    rule: `${names.map((name) => `(${has(name)}?1:0)`).join("+")} == 1`,
    message: `exactly one of the fields in [${names.join(" ")}] must be set`,
  };
}

/** For each field, apart from those that tell the variants apart: in which variants it is required, and allowed. */
function fieldRules(variants: readonly VariantFields[], tags: readonly string[], choice: Choice): Rule[] {
  const names = new Set(variants.flatMap((fields) => [...fields.keys()]));
  return [...names].flatMap((name): Rule[] => {
    if (tags.includes(name)) return [];
    const owners = indexesOf(variants, (fields) => fields.has(name));
    const needing = indexesOf(variants, (fields) => fields.get(name) === true);
    const isEverywhere = owners.length === variants.length;
    // Required in all variants: the schema says so.
    if (needing.length === variants.length) return [];
    if (needing.length === owners.length) {
      const message = `${name} is required ${choice.words(owners)}, and forbidden otherwise`;
      return [{ rule: choice.isExactly(owners, has(name)), message }];
    }
    const isNeeded = {
      rule: `!(${choice.is(needing)}) || ${has(name)}`,
      message: `${name} is required ${choice.words(needing)}`,
    };
    const isAllowed = {
      rule: `!${has(name)} || ${choice.is(owners)}`,
      message: `${name} is allowed only ${choice.words(owners)}`,
    };
    return [...(needing.length > 0 ? [isNeeded] : []), ...(isEverywhere ? [] : [isAllowed])];
  });
}

/** Variants that no single field tells apart: the whole set of fields is compared with that of each variant. */
function combinedRule(variants: readonly VariantFields[]): Rule[] {
  const names = [...new Set(variants.flatMap((fields) => [...fields.keys()]))];
  const isRequired = (name: string): boolean => variants.every((fields) => fields.get(name) === true);
  const conditions = variants.map((fields) =>
    names.flatMap((name) => {
      if (!fields.has(name)) return [`!${has(name)}`];
      return fields.get(name) && !isRequired(name) ? [has(name)] : [];
    }),
  );
  // A variant that accepts every combination.
  if (conditions.some(({ length }) => length === 0)) return [];
  const alternatives = [...new Set(conditions.map((parts) => `(${parts.join(" && ")})`))];
  const sets = variants.map((fields) => {
    const shownNames = [...fields].map(([name, required]) => (required ? name : `${name}?`));
    return `[${shownNames.join(" ")}]`;
  });
  const message = `the fields must be those of one of ${[...new Set(sets)].join(", ")}`;
  const short = "the fields must be those of exactly one variant";
  return [{ rule: alternatives.join(" || "), message: message.length > longestMessage ? short : message }];
}

/** Nobody reads longer messages. */
const longestMessage = 2048;

function indexesOf(
  variants: readonly VariantFields[],
  matches: (fields: VariantFields) => boolean,
): number[] {
  return variants.flatMap((fields, i) => (matches(fields) ? [i] : []));
}

function has(name: string): string {
  return `has(self.${celName(name)})`;
}

/** A value in a message, which must be a single line. */
function shown(value: string | number | boolean): string {
  return typeof value === "string" && !/^[^\s"]+(?: [^\s"]+)*$/u.test(value)
    ? JSON.stringify(value)
    : String(value);
}
