import type { Rule, Schema } from "../model/schema.ts";
import { celName, comparable, enumSchema, limitDescriptions, originKey } from "../model/schema.ts";
import { type Builder, type SchemaSources, problem } from "./builder.ts";
import { type Typed, findAliased, followOnce, placeOf, resolveReference } from "./environment.ts";
import type { Property, Shape } from "./shape.ts";
import { declarationsOf, isKeyword, joinMembers, literalValues, shapeOf, unionMembers } from "./shape.ts";
import { type BuiltField, buildFields, keptOnceSet, propertySchema, reportForeign } from "./object-schema.ts";
import { type Marker, asWritten } from "../markers/collect.ts";
import { markersOn } from "./comments.ts";

/**
 * Converts a union of object types to one object: a structural schema does not allow alternatives, so the object has the
 * properties of all variants, and CEL rules say which belong together. Undefined if a member is not an object type.
 */
export function variantsSchema(
  members: readonly Typed[],
  typed: Typed,
  builder: Builder,
): Schema | undefined {
  try {
    const shapes = variantsOf(members, builder.sources);
    return shapes && builder.unlessEndless(typed, () => unite(shapes, typed, builder));
  } catch (error) {
    if (!(error instanceof TooManyVariantsError)) throw error;
    return problem(error.typed, error.message, "put one of the unions into a field of its own");
  }
}

/** An object type, and the markers of the named types that it consists of. */
interface Alternative {
  readonly shape: Shape;
  readonly markers: readonly Marker[];
}

/**
 * The variants of a union of object types, also of one within an intersection: `A & (B | C)` has the variants `A & B`
 * and `A & C`. An object type is its only variant. Undefined if a member is not an object type.
 */
function variantsOf(members: readonly Typed[], sources: SchemaSources): Shape[] | undefined {
  const found = members.map((member) => alternatives(member, sources));
  if (found.includes(undefined)) return undefined;
  const known = (found as Alternative[][]).flat();
  if (known.length > 1) reportMarkers(new Set(known.flatMap(({ markers }) => markers)), sources);
  return known.flatMap(({ shape }) => withoutAbsent(shape, sources) ?? []);
}

function alternatives(typed: Typed, sources: SchemaSources): Alternative[] | undefined {
  const { node, env } = typed;
  if (node.kind === "union" || node.kind === "intersection") {
    const members = node.members.map((member) => alternatives({ node: member, env }, sources));
    if (members.includes(undefined)) return undefined;
    const known = members as Alternative[][];
    return node.kind === "union" ? known.flat() : combinations(known, typed).map(join);
  }
  if (node.kind !== "reference") return asAlternative(typed, [], sources);
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return alternatives(resolved.typed, sources);
  if (resolved.kind !== "declared") return asAlternative(typed, [], sources);
  const markers = resolved.parts.flatMap(({ declaration, module }) =>
    markersOn(declaration.comments, "type", module, sources),
  );
  const alias = findAliased(resolved, node.args, env);
  if (!alias) return asAlternative(typed, markers, sources);
  const found = followOnce(alias.declaration, () => alternatives(alias.type, sources));
  return found?.map((one) => ({ ...one, markers: [...markers, ...one.markers] }));
}

function asAlternative(
  typed: Typed,
  markers: readonly Marker[],
  sources: SchemaSources,
): Alternative[] | undefined {
  const shape = shapeOf(typed, sources);
  return shape && [{ shape, markers }];
}

function join(parts: readonly Alternative[]): Alternative {
  return {
    shape: joinMembers(parts.map(({ shape }) => shape)),
    markers: parts.flatMap(({ markers }) => markers),
  };
}

/** Each variant is a condition in a rule; a union with more of them is a mistake. */
const mostVariants = 256;

/** All ways to take one item from each list. */
function combinations<T>(lists: readonly (readonly T[])[], typed: Typed): T[][] {
  const count = lists.reduce((product, { length }) => product * length, 1);
  if (count > mostVariants) throw new TooManyVariantsError(count, typed);
  return lists.reduce<T[][]>(
    (found, list) => found.flatMap((head) => list.map((item) => [...head, item])),
    [[]],
  );
}

/** An intersection of unions has as many variants as the product of theirs. */
class TooManyVariantsError extends Error {
  override readonly name = "TooManyVariantsError";
  readonly typed: Typed;

  constructor(count: number, typed: Typed) {
    super(`this intersection of unions has ${count} variants, but only ${mostVariants} are supported`);
    this.typed = typed;
  }
}

/** The types of a union share one schema, which cannot have the markers of one of them. */
function reportMarkers(markers: Iterable<Marker>, { log }: SchemaSources): void {
  for (const marker of markers) {
    if (!marker.definition.apply) continue;
    const message = `${asWritten(marker)} has no effect on a type that is a variant of a union`;
    const hint = "put it on the field whose type is the union, or on fields of the variant";
    log.error(marker.place, message, hint);
  }
}

/**
 * `b?: never` and `b?: undefined` say that a variant has no `b`, which is what a variant without it says. A variant
 * that requires a value of type `never` has no values.
 */
function withoutAbsent(shape: Shape, sources: SchemaSources): Shape | undefined {
  const properties = [...shape.properties.values()];
  const isImpossible = (property: Property): boolean =>
    !property.optional && consistsOf(property, ["never"], sources);
  if (properties.some(isImpossible)) return undefined;
  const present = properties.filter((property) => !consistsOf(property, ["never", "undefined"], sources));
  return { ...shape, properties: new Map(present.map((property) => [property.name, property])) };
}

/** Returns whether a property has no values but those of some keywords. */
function consistsOf(property: Property, keywords: readonly string[], sources: SchemaSources): boolean {
  return declarationsOf(property).some(
    ({ type, schema }) =>
      !schema &&
      unionMembers(type, sources).every((member) => keywords.some((name) => isKeyword(member, name))),
  );
}

interface Variant {
  readonly shape: Shape;
  readonly fields: ReadonlyMap<string, BuiltField>;
  /** The fields that can only be null, which is the same as absent in a rule. */
  readonly nulls: ReadonlyMap<string, BuiltField>;
}

/** Returns the schema of an object that may be each of the variants: all their fields, and rules that keep them apart. */
function unite(shapes: readonly Shape[], typed: Typed, builder: Builder): Schema {
  if (shapes.length === 0) return problem(typed, "no value matches a variant of this union");
  if (shapes.some(({ index }) => index)) {
    const message = "a union of maps is not supported in a structural schema";
    return problem(typed, message, "use a separate field for each");
  }
  const variants = shapes.map((shape): Variant => {
    reportForeign(shape, builder.sources.log);
    const isNull = ({ name }: BuiltField): boolean =>
      consistsOf(shape.properties.get(name)!, ["null", "undefined", "never"], builder.sources);
    const all = buildFields(shape, builder).map((field) => [field.name, field] as const);
    return {
      shape,
      fields: new Map(all.filter(([, field]) => !isNull(field))),
      nulls: new Map(all.filter(([, field]) => isNull(field))),
    };
  });
  const discriminator = findDiscriminator(variants, builder);
  const found = findProblem(variants, discriminator, typed, builder);
  if (found) return found;
  const properties = new Map<string, Schema>();
  const immutable = new Set<string>();
  for (const field of variants.flatMap(({ fields }) => [...fields.values()])) {
    const known = properties.get(field.name) ?? field.schema;
    properties.set(field.name, field.schema.nullable ? { ...known, nullable: true } : known);
    if (field.isImmutable) immutable.add(field.name);
  }
  for (const name of variants.flatMap(({ nulls }) => [...nulls.keys()])) {
    properties.set(name, { ...properties.get(name), nullable: true });
  }
  if (discriminator) {
    const { name, values } = discriminator;
    const defaults = ownFields(name, variants).map(({ schema }) => schema.default);
    const shared = { ...properties.get(name), default: defaults.find((value) => value !== undefined) };
    properties.set(name, { ...shared, enum: undefined, ...enumSchema(values.flat()) });
  }
  const required = [...properties.keys()].filter((name) =>
    variants.every(({ fields, nulls }) => (fields.get(name) ?? nulls.get(name))?.isRequired),
  );
  const demands = variants.map(
    ({ fields }) => new Map([...fields].map(([name, field]) => [name, isDemanded(field)] as const)),
  );
  const rules = [
    ...[...immutable].filter((name) => !required.includes(name)).map(keptOnceSet),
    ...variantRules(demands, discriminator),
  ];
  return {
    type: "object",
    [originKey]: { place: placeOf(typed), markers: new Map() },
    properties: properties.size > 0 ? Object.fromEntries(properties) : undefined,
    required: required.length > 0 ? required.sort() : undefined,
    "x-kubernetes-validations": rules.length > 0 ? rules : undefined,
  };
}

/** A required field that has other values in each variant. */
interface Discriminator {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "number";
  readonly values: readonly (readonly (string | number | boolean)[])[];
}

/** A required property with distinct literals of one type in the variants. */
function findDiscriminator(variants: readonly Variant[], builder: Builder): Discriminator | undefined {
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

/** Finds a reason why variants cannot share one object: fields that differ, defaults, names that no rule can contain. */
function findProblem(
  variants: readonly Variant[],
  discriminator: Discriminator | undefined,
  typed: Typed,
  builder: Builder,
): Schema | undefined {
  const names = new Set(variants.flatMap(({ fields }) => [...fields.keys()]));
  for (const name of names) {
    const owners = variants.filter(({ fields }) => fields.has(name));
    const conflict =
      name === discriminator?.name
        ? findMarkerConflict(name, owners, typed)
        : findConflict(name, owners, typed, builder);
    if (conflict) return conflict;
    const isEverywhere = owners.length === variants.length;
    if (!isEverywhere && owners[0]!.fields.get(name)!.schema.default !== undefined) {
      const message = `"${name}" has a default, which the API server would also set in variants of this union without it`;
      return problem(typed, message, "remove the default, or put the field into an object of its own");
    }
    const isInRules =
      name === discriminator?.name || owners.some(({ fields }) => !fields.get(name)!.isRequired);
    if ((!isEverywhere || isInRules) && !hasCelName(name)) {
      const message = `no CEL rule can name the field "${name}" of this union`;
      return problem(typed, message, "use a name of letters, digits, _, -, . and /");
    }
  }
  return undefined;
}

/** The values of a discriminator differ, and one variant may have its default; all else is shared. */
function findMarkerConflict(name: string, owners: readonly Variant[], typed: Typed): Schema | undefined {
  const schemas = ownFields(name, owners).map(({ schema }) => schema);
  const defaults = schemas.map((schema) => schema.default).filter((value) => value !== undefined);
  if (new Set(defaults).size > 1) {
    const message = `the variants of this union have different defaults for "${name}"`;
    return problem(typed, message, "keep one of them: an API server sets it before it knows the variant");
  }
  const others = schemas.map((schema) =>
    describe({ ...schema, type: undefined, enum: undefined, default: undefined }),
  );
  return new Set(others).size > 1 ? differentMarkers(name, typed) : undefined;
}

/** A field has one schema, whatever the variant; only null may be limited to some of them. */
function findConflict(
  name: string,
  owners: readonly Variant[],
  typed: Typed,
  builder: Builder,
): Schema | undefined {
  const fields = ownFields(name, owners);
  if (new Set(fields.map(({ schema }) => describe(schema))).size === 1) return undefined;
  // A rule that requires the field also rejects null.
  const sameButNull = new Set(fields.map(({ schema }) => describe({ ...schema, nullable: undefined })));
  if (sameButNull.size === 1) {
    if (fields.every(({ schema, isRequired }) => schema.nullable || isRequired)) return undefined;
    const hint = "add | null to its type in each variant, or require it where null is not allowed";
    return problem(typed, `only some variants of this union allow null for "${name}"`, hint);
  }
  const types = owners.map(({ shape }) => shape.properties.get(name)!);
  const written = new Set(types.map((property) => describe(propertySchema(property, builder))));
  if (written.size === 1) return differentMarkers(name, typed);
  const areLiterals = types.every(({ type }) => literalValues(type, builder.sources) !== undefined);
  return problem(
    typed,
    `the variants of this union have different types for "${name}"`,
    areLiterals
      ? `make "${name}" the discriminator: a required field of every variant, with values that no other variant has`
      : "a structural schema has a single type for it: rename one of the fields",
  );
}

function differentMarkers(name: string, typed: Typed): Schema {
  const message = `the variants of this union have different markers for "${name}"`;
  return problem(typed, message, "repeat its markers in each variant: all variants share one schema for it");
}

/** A field as each variant that has it declares it. */
function ownFields(name: string, variants: readonly Variant[]): BuiltField[] {
  return variants.flatMap(({ fields }) => fields.get(name) ?? []);
}

/** A schema without its descriptions, for comparison. */
function describe(schema: Schema): string {
  return comparable(limitDescriptions(schema, 0));
}

/** Returns whether a CEL rule can name a field: those with spaces, for example, have no escaped form. */
function hasCelName(name: string): boolean {
  return /^[A-Za-z_./-][\w./-]*$/u.test(name);
}

/** Returns whether rules may require a field: CEL treats null as absent, so that they would reject a null. */
function isDemanded({ isRequired, schema }: BuiltField): boolean {
  return isRequired && schema.nullable !== true;
}

/** The fields of a variant of a union, and whether each is required. */
type VariantFields = ReadonlyMap<string, boolean>;

/** CEL rules for a union of objects: an object has the required fields of one variant, and no fields of others. */
function variantRules(variants: readonly VariantFields[], discriminator: Discriminator | undefined): Rule[] {
  if (discriminator) return fieldRules(variants, [discriminator.name], byValue(discriminator));
  const tags = variants.map((fields, i) =>
    [...fields.keys()].find(
      (name) => fields.get(name) && variants.every((other, j) => j === i || !other.has(name)),
    ),
  );
  if (tags.includes(undefined)) return combinedRules(variants);
  const names = tags as string[];
  return [exactlyOne(names), ...fieldRules(variants, names, byPresence(names))];
}

/** The part of the rules that depends on how an object shows its variant. Variants are given by their index. */
interface Choice {
  /** A CEL condition: the object is in one of these variants. */
  isOneOf(variants: readonly number[]): string;
  /** A CEL rule: a condition holds in these variants, and in no other. */
  isExactly(variants: readonly number[], condition: string): string;
  /** The name of these variants in a message: `when type is disk`, `with disk`. */
  words(variants: readonly number[]): string;
}

function byValue({ name, type, values }: Discriminator): Choice {
  const field = `self.${celName(name)}`;
  const valuesOf = (variants: readonly number[]): (string | number | boolean)[] =>
    variants.flatMap((i) => values[i]!);
  const isOneOf = (variants: readonly number[]): string => {
    const written = valuesOf(variants).map((value) => celLiteral(value, type === "number"));
    return written.length === 1 ? `${field} == ${written[0]}` : `${field} in [${written.join(", ")}]`;
  };
  return {
    isOneOf,
    isExactly: (variants, condition) => `${isOneOf(variants)} ? ${condition} : !${condition}`,
    words: (variants) => `when ${name} is ${valuesOf(variants).map(shown).join(" or ")}`,
  };
}

/** Each variant has a required field of its own. */
function byPresence(names: readonly string[]): Choice {
  const isOneOf = (variants: readonly number[]): string => {
    const all = variants.map((i) => has(names[i]!));
    return all.length === 1 ? all[0]! : `(${all.join(" || ")})`;
  };
  return {
    isOneOf,
    isExactly: (variants, condition) => `${isOneOf(variants)} == ${condition}`,
    words: (variants) => `with ${variants.map((i) => names[i]!).join(" or ")}`,
  };
}

function exactlyOne(names: readonly string[]): Rule {
  return {
    rule: `${names.map((name) => `(${has(name)}?1:0)`).join("+")} == 1`,
    message: `exactly one of the fields in [${names.join(" ")}] must be set`,
  };
}

/** Returns the rules of each field, except discriminators: the variants in which it is required, and allowed. */
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
    const requirement = {
      rule: `!(${choice.isOneOf(needing)}) || ${has(name)}`,
      message: `${name} is required ${choice.words(needing)}`,
    };
    const permission = {
      rule: `!${has(name)} || ${choice.isOneOf(owners)}`,
      message: `${name} is allowed only ${choice.words(owners)}`,
    };
    return [...(needing.length > 0 ? [requirement] : []), ...(isEverywhere ? [] : [permission])];
  });
}

/** Nobody reads longer messages. */
const longestMessage = 2048;

/** Compares all fields with those of each variant, for variants without a field of their own. */
function combinedRules(variants: readonly VariantFields[]): Rule[] {
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

function indexesOf<T>(list: readonly T[], matches: (item: T) => boolean): number[] {
  return list.flatMap((item, i) => (matches(item) ? [i] : []));
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

/** A value in a CEL rule; a double always has a fraction or an exponent, because CEL does not convert integers. */
function celLiteral(value: string | number | boolean, isDouble = false): string {
  if (typeof value === "string") {
    const escaped = value.replaceAll(/['\\\p{Cc}]/gu, (char) => {
      if (char === "'" || char === "\\") return `\\${char}`;
      return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
    return `'${escaped}'`;
  }
  const text = String(value);
  return isDouble && /^-?\d+$/u.test(text) ? `${text}.0` : text;
}
