import { text } from "../markers/definition.ts";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import { isGateOn } from "../model/options.ts";
import type { Marker } from "../markers/collect.ts";
import { oneOfMarkers } from "../markers/families/one-of.ts";
import { applyMarkers, markersOn, readDescription } from "./comments.ts";
import type { Rule, Schema } from "../model/schema.ts";
import {
  addRule,
  celName,
  comparable,
  limitDescriptions,
  orNull,
  originKey,
  refKey,
} from "../model/schema.ts";
import { mergeInto, settle } from "./merge.ts";
import { type Property, type Shape, declarationsOf, indexedProperty } from "./shape.ts";
import type { Builder, SchemaSources } from "./builder.ts";
import { type Typed, someMember } from "./environment.ts";

/**
 * Builds the schema of an object type from its properties, or of a map. Reports a field that `typeMarkers`, the markers of
 * the type, name in a group although it is required or missing.
 */
export function objectSchema(
  shape: Shape,
  builder: Builder,
  typeMarkers: readonly Marker[],
  place: Place,
): Schema {
  const { log } = builder.sources;
  reportForeignMembers(shape, log);
  if (shape.index) return mapSchema(shape, builder, place);
  const oneOfFields = listOneOfFields(typeMarkers);
  const fields = buildFields(shape, builder);
  for (const { name, isRequired, place } of fields) {
    if (!isRequired || !oneOfFields.has(name)) continue;
    const message = `the field "${name}" is required, but only some of its group can be set`;
    log.error(place, message, `make it optional: ${name}?`);
  }
  // Unlike an assignment, this also defines a property named __proto__.
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  const optionalImmutable = fields.filter(({ isRequired, isImmutable }) => isImmutable && !isRequired);
  const schema: Schema = { type: "object", [originKey]: { place, markers: new Map() } };
  if (fields.length > 0) schema.properties = properties;
  if (required.length > 0) schema.required = required.sort();
  if (optionalImmutable.length > 0)
    schema["x-kubernetes-validations"] = optionalImmutable.map(({ name }) => keepOnceSetRule(name));
  for (const name of oneOfFields.keys()) {
    if (Object.hasOwn(properties, name)) continue;
    const hint = `its fields are ${Object.keys(properties).join(", ")}`;
    log.error(oneOfFields.get(name), `the type has no field "${name}"`, hint);
  }
  return schema;
}

/** Reports members that have no name in JSON, such as one with a computed name. */
export function reportForeignMembers({ foreign }: Shape, log: DiagnosticLog): void {
  for (const { what, env, pos } of foreign) {
    const message = `${what} has no name in JSON`;
    log.error({ module: env.module, pos }, message, "use a plain name, or +tsbuilder:ignore");
  }
}

function mapSchema(shape: Shape, builder: Builder, place: Place): Schema {
  if (shape.properties.size > 0) {
    const hint = "move the arbitrary keys to a field of their own: a structural schema does not allow both";
    builder.sources.log.error(place, "an object cannot have both fields and arbitrary keys", hint);
  }
  return {
    type: "object",
    additionalProperties: builder.schemaAtUse(shape.index!),
    [originKey]: { place, markers: new Map() },
  };
}

/** Lists the fields that the markers of a type name as a group, such as +kubebuilder:validation:ExactlyOneOf. */
function listOneOfFields(markers: readonly Marker[]): Map<string, Place> {
  return new Map(
    markers
      .filter(({ name }) => oneOfMarkers.has(name))
      .flatMap(({ args, place }) => (args[""] as readonly string[]).map((field) => [field, place] as const)),
  );
}

/**
 * Returns the rule that forbids the removal of an immutable field. It is a rule of the parent, because an API server does
 * not evaluate the rules of a field that is absent.
 */
export function keepOnceSetRule(name: string): Rule {
  return {
    rule: `!has(oldSelf.${celName(name)}) || has(self.${celName(name)})`,
    message: `field ${name} is immutable once set`,
  };
}

/** The schema of a field, with what the schema of its object says about it. */
export interface BuiltField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isImmutable: boolean;
  readonly place: Place;
}

/** Builds the schemas of an object type's fields, without those that a marker or a feature gate leaves out. */
export function buildFields(shape: Shape, builder: Builder): BuiltField[] {
  return [...shape.properties.values()].flatMap((property) => {
    const field = new Field(property, builder);
    if (field.isLeftOut) return [];
    const { name } = property;
    const { isRequired, isImmutable, place } = field;
    return [{ name, schema: field.schema(), isRequired, isImmutable, place }];
  });
}

/** A field of an object type. In an intersection, it has the markers of all declarations, and the first description. */
class Field {
  readonly #property: Property;
  readonly #declarations: readonly Property[];
  readonly #builder: Builder;
  readonly #markers: readonly Marker[];
  readonly place: Place;

  constructor(property: Property, builder: Builder) {
    this.#property = property;
    this.#builder = builder;
    this.#declarations = declarationsOf(property);
    const { env, pos } = property;
    const markers = this.#declarations.flatMap(({ comments, env: { module } }) =>
      comments ? markersOn(comments, "field", module, builder.sources) : [],
    );
    this.#markers = markers.length > 1 ? [...new Set(markers)] : markers;
    this.place = { module: env.module, pos };
  }

  get isLeftOut(): boolean {
    const gate = this.#find("tsbuilder:featureGate")?.args[""];
    return this.#has("tsbuilder:ignore") || !isGateOn(gate, this.#builder.sources.options);
  }

  /** kubebuilder's own markers override the short ones, and optional overrides required, as in controller-gen. */
  get isRequired(): boolean {
    if (this.#has("kubebuilder:validation:Optional")) return false;
    if (this.#has("kubebuilder:validation:Required")) return true;
    if (this.#has("optional") || this.#has("k8s:optional")) return false;
    if (this.#has("required") || this.#has("k8s:required")) return true;
    if (this.#property.optional || mayBeUndefined(this.#property, this.#builder.sources)) return false;
    const { module } = this.#property.env;
    const isOptionalByDefault = this.#builder.sources
      .packageMarkers(module)
      .some(({ name }) => name === "kubebuilder:validation:Optional");
    return !isOptionalByDefault;
  }

  get isImmutable(): boolean {
    return this.#has("k8s:immutable") || this.#isReadonlyImmutable;
  }

  get #isReadonlyImmutable(): boolean {
    return this.#property.readonly && this.#builder.sources.options.readonlyImmutable === true;
  }

  schema(): Schema {
    const { log } = this.#builder.sources;
    const structure = this.#structure();
    const schema = this.#has("tsbuilder:opaque") ? withoutConstraints(structure) : structure;
    const description = this.#declarations
      .map(({ comments }) => comments && readDescription(comments))
      .find((text) => text !== undefined);
    if (description !== undefined) schema.description = description;
    applyMarkers(schema, this.#markers, "field", this.place, log);
    if (this.#isReadonlyImmutable && !this.#has("k8s:immutable")) {
      addRule(schema, { rule: "self == oldSelf", message: "field is immutable" });
    }
    const merged = settle(schema, this.place, log);
    if (merged.format === "int64") this.#warnOfPrecision(merged);
    const limit = this.#find("tsbuilder:maxDescLen")?.args[""];
    const settled = limitDescriptions(merged, limit === undefined ? undefined : Number(limit));
    settled[originKey] = { place: this.place, markers: settled[originKey]?.markers ?? new Map() };
    return settled;
  }

  #warnOfPrecision({ default: value, minimum, maximum }: Schema): void {
    const isUnsafe = [value, minimum, maximum].some(
      (number) => typeof number === "bigint" || (typeof number === "number" && !Number.isSafeInteger(number)),
    );
    if (!isUnsafe) return;
    this.#builder.sources.log.warn(
      this.place,
      `"${this.#property.name}" may contain integers beyond 2^53, which JavaScript numbers do not represent exactly`,
      "limit it to 9007199254740991, or use a string",
    );
  }

  #structure(): Schema {
    if (this.#has("kubebuilder:validation:Schemaless")) return {};
    const schemaFrom = this.#find("tsbuilder:schemaFrom");
    if (!schemaFrom) return propertySchema(this.#property, this.#builder);
    const node = {
      kind: "reference",
      name: text(schemaFrom.args),
      args: [],
      specifier: undefined,
      pos: this.place.pos,
    } as const;
    return this.#builder.schemaAtUse({ node, env: this.#property.env });
  }

  #find(name: string): Marker | undefined {
    return this.#markers.find((marker) => marker.name === name);
  }

  #has(name: string): boolean {
    return this.#find(name) !== undefined;
  }
}

/** The keys that restrict values, apart from their structure. */
const constraints: readonly (keyof Schema & string)[] = [
  "allOf",
  "enum",
  "maximum",
  "minimum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "multipleOf",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxProperties",
  "minProperties",
  "x-kubernetes-validations",
];

/** Removes rules and defaults; keys of a list map keep their defaults, without which they would have to be required. */
function withoutConstraints(schema: Schema, listMapKeys: readonly string[] = []): Schema {
  const bare: Schema = { ...schema, default: undefined };
  for (const key of constraints) bare[key] = undefined;
  if (bare[refKey]) bare[refKey] = withoutConstraints(bare[refKey], listMapKeys);
  if (bare.items) bare.items = withoutConstraints(bare.items, schema["x-kubernetes-list-map-keys"]);
  if (typeof bare.additionalProperties === "object") {
    bare.additionalProperties = withoutConstraints(bare.additionalProperties);
  }
  if (bare.properties) {
    const properties = Object.entries(bare.properties).map(([name, property]): [string, Schema] => {
      const inner = withoutConstraints(property);
      return [name, listMapKeys.includes(name) ? { ...inner, default: property.default } : inner];
    });
    bare.properties = Object.fromEntries(properties);
  }
  return bare;
}

/** Returns whether undefined is a value of a property's type: JSON has no such value, so the field may be absent. */
function mayBeUndefined(property: Property, sources: SchemaSources): boolean {
  return declarationsOf(property).every(
    ({ type, isDefined }) => !isDefined && includesUndefined(type, sources),
  );
}

function includesUndefined(type: Typed, sources: SchemaSources): boolean {
  return someMember(type, sources, (member) => {
    if (member.node.kind === "keyword") return member.node.name === "undefined";
    const property = indexedProperty(member, sources);
    return property !== undefined && (property.optional || mayBeUndefined(property, sources));
  });
}

/** Returns the schema of a property's type. If several members of an intersection declare it, all of them must allow a value. */
export function propertySchema(property: Property, builder: Builder): Schema {
  if (!property.others) return declaredSchema(property, builder);
  const [last, ...others] = declarationsOf(property).map((declared) => declaredSchema(declared, builder));
  const { log } = builder.sources;
  const place = { module: property.env.module, pos: property.pos };
  return others.reduce(
    (joined, other) =>
      intersect(joined, settle(other, place, log), ({ message, hint }) => log.error(place, message, hint)),
    settle(last!, place, log),
  );
}

/** Properties of built-in types have precomputed schemas. */
function declaredSchema({ schema, type }: Property, builder: Builder): Schema {
  return schema ? { ...schema } : builder.schemaAtUse(type);
}

/** Merges two schemas of one value, which is null only where both allow it. */
function intersect(left: Schema, right: Schema, onConflict: Parameters<typeof mergeInto>[2]): Schema {
  if (comparable(left) === comparable(right)) return left;
  const intersectPresent = (a: Schema | undefined, b: Schema | undefined): Schema | undefined =>
    a && b ? intersect(a, b, onConflict) : (a ?? b);
  const { items, properties = {}, additionalProperties, ...rest } = right;
  const joined: Schema = { ...left };
  mergeInto(joined, rest, onConflict);
  joined.nullable = undefined;
  joined.items = intersectPresent(left.items, items);
  // A property may be named __proto__, so this is not a plain object yet.
  const merged = new Map(Object.entries(left.properties ?? {}));
  for (const [name, schema] of Object.entries(properties))
    merged.set(name, intersectPresent(merged.get(name), schema)!);
  if (merged.size > 0) joined.properties = Object.fromEntries(merged);
  if (typeof additionalProperties === "object") {
    const values = left.additionalProperties;
    joined.additionalProperties = intersectPresent(
      typeof values === "object" ? values : undefined,
      additionalProperties,
    );
  } else joined.additionalProperties = left.additionalProperties ?? additionalProperties;
  return left.nullable && right.nullable ? orNull(joined) : joined;
}
