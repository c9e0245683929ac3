import type { Rule, Schema } from "../model/schema.ts";
import { celName, comparable, enumSchema, limitDescriptions, originKey } from "../model/schema.ts";
import { type Builder, type SchemaSources, problem } from "./builder.ts";
import { type Typed, findAliased, followOnce, placeOf, resolveReference } from "./environment.ts";
import type { Property, Shape } from "./shape.ts";
import {
  declarationsOf,
  isKeyword,
  joinIntersection,
  literalValues,
  shapeOf,
  unionMembers,
} from "./shape.ts";
import type { BuiltField } from "./object-schema.ts";
import { buildFields, keepOnceSetRule, propertySchema, reportForeignMembers } from "./object-schema.ts";
import { type Marker, asWritten } from "../markers/collect.ts";
import { markersOn } from "./comments.ts";

/**
 * Converts a union of object types to one object: a structural schema does not allow alternatives, so the object has the
 * properties of all variants, and CEL rules say which belong together. Returns undefined if a member is not an object
 * type, and a problem if the variants contradict each other.
 */
export function variantsSchema(
  members: readonly Typed[],
  typed: Typed,
  builder: Builder,
): Schema | undefined {
  try {
    const shapes = listVariants(members, builder.sources);
    return shapes && builder.refuseCycle(typed, () => uniteVariants(shapes, typed, builder));
  } catch (error) {
    if (!(error instanceof TooManyVariantsError)) throw error;
    return problem(error.typed, error.message, "put one of the unions into a field of its own");
  }
}

/** A variant as it is written: its shape, and the markers of the named types that it consists of. */
interface Alternative {
  readonly shape: Shape;
  readonly markers: readonly Marker[];
}

/** Lists the variants of a union, `A & B` and `A & C` of `A & (B | C)`; undefined if one is not an object type. */
function listVariants(members: readonly Typed[], sources: SchemaSources): Shape[] | undefined {
  const found = members.map((member) => listAlternatives(member, sources));
  if (found.includes(undefined)) return undefined;
  const known = (found as Alternative[][]).flat();
  if (known.length > 1) reportMarkersOfVariants(new Set(known.flatMap(({ markers }) => markers)), sources);
  return known.flatMap(({ shape }) => withoutAbsentFields(shape, sources) ?? []);
}

/** Lists the variants of one member; the markers of its aliases apply to each of them. */
function listAlternatives(typed: Typed, sources: SchemaSources): Alternative[] | undefined {
  const { node, env } = typed;
  if (node.kind === "union" || node.kind === "intersection") {
    const members = node.members.map((member) => listAlternatives({ node: member, env }, sources));
    if (members.includes(undefined)) return undefined;
    const known = members as Alternative[][];
    return node.kind === "union" ? known.flat() : combinations(known, typed).map(joinAlternatives);
  }
  if (node.kind !== "reference") return asAlternative(typed, [], sources);
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return listAlternatives(resolved.typed, sources);
  if (resolved.kind !== "declared") return asAlternative(typed, [], sources);
  const markers = resolved.parts.flatMap(({ declaration, module }) =>
    markersOn(declaration.comments, "type", module, sources),
  );
  const alias = findAliased(resolved, node.args, env);
  if (!alias) return asAlternative(typed, markers, sources);
  const found = followOnce(alias.declaration, () => listAlternatives(alias.type, sources));
  return found?.map(({ shape, markers: inner }) => ({ shape, markers: [...markers, ...inner] }));
}

function asAlternative(
  typed: Typed,
  markers: readonly Marker[],
  sources: SchemaSources,
): Alternative[] | undefined {
  const shape = shapeOf(typed, sources);
  return shape && [{ shape, markers }];
}

function joinAlternatives(parts: readonly Alternative[]): Alternative {
  return {
    shape: joinIntersection(parts.map(({ shape }) => shape)),
    markers: parts.flatMap(({ markers }) => markers),
  };
}

/** Each variant adds a condition to the CEL rules; a union with more of them is taken for a mistake. */
const maxVariants = 256;

/** Lists all ways to take one item from each list. Throws a TooManyVariantsError. */
function combinations<T>(lists: readonly (readonly T[])[], typed: Typed): T[][] {
  const count = lists.reduce((product, { length }) => product * length, 1);
  if (count > maxVariants) throw new TooManyVariantsError(count, typed);
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
    super(`this intersection of unions has ${count} variants, but only ${maxVariants} are supported`);
    this.typed = typed;
  }
}

/** The types of a union share one schema, which cannot have the markers of one of them. */
function reportMarkersOfVariants(markers: Iterable<Marker>, { log }: SchemaSources): void {
  for (const marker of markers) {
    if (!marker.definition.apply) continue;
    const message = `${asWritten(marker)} has no effect on a type that is a variant of a union`;
    const hint = "put it on the field whose type is the union, or on fields of the variant";
    log.error(marker.place, message, hint);
  }
}

/** Removes fields with `b?: never`; undefined for a variant without values, since it requires a field of type never. */
function withoutAbsentFields(shape: Shape, sources: SchemaSources): Shape | undefined {
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
  readonly nullFields: ReadonlyMap<string, BuiltField>;
}

/** Returns the schema of an object with all fields, and CEL rules that keep variants apart; or a problem. */
function uniteVariants(shapes: readonly Shape[], typed: Typed, builder: Builder): Schema {
  if (shapes.length === 0) return problem(typed, "no value matches a variant of this union");
  if (shapes.some(({ index }) => index)) {
    const message = "a union of maps is not supported in a structural schema";
    return problem(typed, message, "use a separate field for each");
  }
  const variants = shapes.map((shape): Variant => {
    reportForeignMembers(shape, builder.sources.log);
    const isNull = ({ name }: BuiltField): boolean =>
      consistsOf(shape.properties.get(name)!, ["null", "undefined", "never"], builder.sources);
    const all = buildFields(shape, builder).map((field) => [field.name, field] as const);
    return {
      shape,
      fields: new Map(all.filter(([, field]) => !isNull(field))),
      nullFields: new Map(all.filter(([, field]) => isNull(field))),
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
  for (const name of variants.flatMap(({ nullFields }) => [...nullFields.keys()])) {
    properties.set(name, { ...properties.get(name), nullable: true });
  }
  if (discriminator) {
    const { name, values } = discriminator;
    const defaults = fieldsNamed(name, variants).map(({ schema }) => schema.default);
    const shared = { ...properties.get(name), default: defaults.find((value) => value !== undefined) };
    properties.set(name, { ...shared, enum: undefined, ...enumSchema(values.flat()) });
  }
  const required = [...properties.keys()].filter((name) =>
    variants.every(({ fields, nullFields }) => (fields.get(name) ?? nullFields.get(name))?.isRequired),
  );
  const variantFields = variants.map(
    ({ fields }) => new Map([...fields].map(([name, field]) => [name, isRequiredByRule(field)] as const)),
  );
  const rules = [
    ...[...immutable].filter((name) => !required.includes(name)).map(keepOnceSetRule),
    ...variantRules(variantFields, discriminator),
  ];
  return {
    type: "object",
    [originKey]: { place: placeOf(typed), markers: new Map() },
    properties: properties.size > 0 ? Object.fromEntries(properties) : undefined,
    required: required.length > 0 ? required.sort() : undefined,
    "x-kubernetes-validations": rules.length > 0 ? rules : undefined,
  };
}

/** A required field with distinct literals of one type in the variants: `values` are those of each variant. */
interface Discriminator {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "number";
  readonly values: readonly (readonly (string | number | boolean)[])[];
}

/** Finds the first field that is a discriminator; undefined if there is none. */
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

/** Finds a reason why variants cannot share a schema: fields that differ, defaults, names that no CEL rule can contain. */
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

/** Finds a conflict of a discriminator: only its values may differ, and at most one variant may have a default. */
function findMarkerConflict(name: string, owners: readonly Variant[], typed: Typed): Schema | undefined {
  const schemas = fieldsNamed(name, owners).map(({ schema }) => schema);
  const defaults = schemas.map((schema) => schema.default).filter((value) => value !== undefined);
  if (new Set(defaults).size > 1) {
    const message = `the variants of this union have different defaults for "${name}"`;
    return problem(typed, message, "keep one of them: an API server sets it before it knows the variant");
  }
  const others = schemas.map((schema) =>
    compareKey({ ...schema, type: undefined, enum: undefined, default: undefined }),
  );
  return new Set(others).size > 1 ? differentMarkers(name, typed) : undefined;
}

/** Finds a conflict of a field: its schemas may only differ in null, if each variant allows null or requires the field. */
function findConflict(
  name: string,
  owners: readonly Variant[],
  typed: Typed,
  builder: Builder,
): Schema | undefined {
  const fields = fieldsNamed(name, owners);
  if (new Set(fields.map(({ schema }) => compareKey(schema))).size === 1) return undefined;
  // A CEL rule that requires the field also rejects null.
  const withoutNullable = new Set(fields.map(({ schema }) => compareKey({ ...schema, nullable: undefined })));
  if (withoutNullable.size === 1) {
    if (fields.every(({ schema, isRequired }) => schema.nullable || isRequired)) return undefined;
    const hint = "add | null to its type in each variant, or require it where null is not allowed";
    return problem(typed, `only some variants of this union allow null for "${name}"`, hint);
  }
  const types = owners.map(({ shape }) => shape.properties.get(name)!);
  const written = new Set(types.map((property) => compareKey(propertySchema(property, builder))));
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

/** Lists the schemas of a field in the variants that have it. */
function fieldsNamed(name: string, variants: readonly Variant[]): BuiltField[] {
  return variants.flatMap(({ fields }) => fields.get(name) ?? []);
}

/** Writes a schema without its descriptions as a string, for comparison. */
function compareKey(schema: Schema): string {
  return comparable(limitDescriptions(schema, 0));
}

/** Returns whether a CEL rule can name a field: a name with a space, for example, has no escaped form. */
function hasCelName(name: string): boolean {
  return /^[A-Za-z_./-][\w./-]*$/u.test(name);
}

/** Returns whether a CEL rule may require a field: `has()` is false for null, so the rule would reject a valid null. */
function isRequiredByRule({ isRequired, schema }: BuiltField): boolean {
  return isRequired && schema.nullable !== true;
}

/** The fields of a variant of a union, and whether each is required. */
type VariantFields = ReadonlyMap<string, boolean>;

/** CEL rules for a union of objects: an object has the required fields of one variant, and no fields of others. */
function variantRules(variants: readonly VariantFields[], discriminator: Discriminator | undefined): Rule[] {
  if (discriminator) return fieldRules(variants, [discriminator.name], byValue(discriminator));
  const identifyingFields = variants.map((fields, i) =>
    [...fields.keys()].find(
      (name) => fields.get(name) && variants.every((other, j) => j === i || !other.has(name)),
    ),
  );
  if (identifyingFields.includes(undefined)) return combinedRules(variants);
  const names = identifyingFields as string[];
  return [exactlyOne(names), ...fieldRules(variants, names, byPresence(names))];
}

/** The CEL conditions that tell the variant of an object. Variants are identified by their index. */
interface VariantConditions {
  /** Returns a CEL condition: the object is in one of these variants. */
  isOneOf(variants: readonly number[]): string;
  /** Returns a CEL rule: a condition is true in these variants, and false in all others. */
  isExactly(variants: readonly number[], condition: string): string;
  /** Returns the variants as words for a message: `when type is disk`, `with disk`. */
  describe(variants: readonly number[]): string;
}

/** Tells the variants by the value of the discriminator. */
function byValue({ name, type, values }: Discriminator): VariantConditions {
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
    describe: (variants) => `when ${name} is ${valuesOf(variants).map(formatForMessage).join(" or ")}`,
  };
}

/** Tells the variants by the field that each requires and no other has. */
function byPresence(names: readonly string[]): VariantConditions {
  const isOneOf = (variants: readonly number[]): string => {
    const all = variants.map((i) => has(names[i]!));
    return all.length === 1 ? all[0]! : `(${all.join(" || ")})`;
  };
  return {
    isOneOf,
    isExactly: (variants, condition) => `${isOneOf(variants)} == ${condition}`,
    describe: (variants) => `with ${variants.map((i) => names[i]!).join(" or ")}`,
  };
}

function exactlyOne(names: readonly string[]): Rule {
  return {
    rule: `${names.map((name) => `(${has(name)}?1:0)`).join("+")} == 1`,
    message: `exactly one of the fields in [${names.join(" ")}] must be set`,
  };
}

/** Returns the rules of all fields but those that identify variants: where each is required, and where allowed. */
function fieldRules(
  variants: readonly VariantFields[],
  identifyingFields: readonly string[],
  conditions: VariantConditions,
): Rule[] {
  const names = new Set(variants.flatMap((fields) => [...fields.keys()]));
  return [...names].flatMap((name): Rule[] => {
    if (identifyingFields.includes(name)) return [];
    const owners = indexesOf(variants, (fields) => fields.has(name));
    const requiring = indexesOf(variants, (fields) => fields.get(name) === true);
    const isEverywhere = owners.length === variants.length;
    // The field is in `required` of the schema.
    if (requiring.length === variants.length) return [];
    if (requiring.length === owners.length) {
      const message = `${name} is required ${conditions.describe(owners)}, and forbidden otherwise`;
      return [{ rule: conditions.isExactly(owners, has(name)), message }];
    }
    const requirement = {
      rule: `!(${conditions.isOneOf(requiring)}) || ${has(name)}`,
      message: `${name} is required ${conditions.describe(requiring)}`,
    };
    const permission = {
      rule: `!${has(name)} || ${conditions.isOneOf(owners)}`,
      message: `${name} is allowed only ${conditions.describe(owners)}`,
    };
    return [...(requiring.length > 0 ? [requirement] : []), ...(isEverywhere ? [] : [permission])];
  });
}

/** Nobody reads longer messages. */
const maxMessageLength = 2048;

/** Returns one rule that compares all fields with those of each variant, for variants without fields that tell them. */
function combinedRules(variants: readonly VariantFields[]): Rule[] {
  const names = [...new Set(variants.flatMap((fields) => [...fields.keys()]))];
  const isRequired = (name: string): boolean => variants.every((fields) => fields.get(name) === true);
  const conditions = variants.map((fields) =>
    names.flatMap((name) => {
      if (!fields.has(name)) return [`!${has(name)}`];
      return fields.get(name) && !isRequired(name) ? [has(name)] : [];
    }),
  );
  // One variant accepts every combination of fields.
  if (conditions.some(({ length }) => length === 0)) return [];
  const alternatives = [...new Set(conditions.map((parts) => `(${parts.join(" && ")})`))];
  const sets = variants.map((fields) => {
    const shownNames = [...fields].map(([name, required]) => (required ? name : `${name}?`));
    return `[${shownNames.join(" ")}]`;
  });
  const message = `the fields must be those of one of ${[...new Set(sets)].join(", ")}`;
  const short = "the fields must be those of exactly one variant";
  return [{ rule: alternatives.join(" || "), message: message.length > maxMessageLength ? short : message }];
}

function indexesOf<T>(list: readonly T[], matches: (item: T) => boolean): number[] {
  return list.flatMap((item, i) => (matches(item) ? [i] : []));
}

function has(name: string): string {
  return `has(self.${celName(name)})`;
}

/** Formats a value for the message of a rule, which must be a single line. */
function formatForMessage(value: string | number | boolean): string {
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
