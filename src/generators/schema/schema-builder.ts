/**
 * From types to schemas. `SchemaBuilder` builds named types; `typeSchema` converts a type by the form in which it is
 * written, with `object-schema.ts` for the fields that `shape.ts` finds, and `variants-schema.ts` for unions of objects.
 * `environment.ts` resolves names, `builder.ts` is the interface between these files, `merge.ts` completes a schema.
 */

import type { Place } from "../model/diagnostic.ts";
import { type Declaration, type Declared, type ReferenceNode, hasLiteralType } from "../loader/index.ts";
import { applyMarkers, markersOn, readDescription } from "./comments.ts";
import { type Schema, enumSchema, limitDescriptions, orNull, reference } from "../model/schema.ts";
import { type Builder, type CoreSchema, type SchemaSources, problem } from "./builder.ts";
import { type Environment, type Typed, placeOf, resolveReference, scopeOf } from "./environment.ts";
import { mergeInto, settle } from "./merge.ts";
import { objectSchema, propertySchema } from "./object-schema.ts";
import {
  indexedProperty,
  isKeyword,
  isNullish,
  literalValues,
  ownShape,
  shapeOf,
  unionMembers,
} from "./shape.ts";
import { variantsSchema } from "./variants-schema.ts";
import { integerOrString, wellKnownSchema } from "./built-in-types.ts";

/** Builds schemas from types. Each named type is built once per set of arguments. */
export class SchemaBuilder implements Builder {
  readonly sources: SchemaSources;
  readonly #namedSchemas = new Map<string, Schema>();
  /** The named types that are being built, outer ones first. */
  readonly #building: { key: string; name: string; declaration: Declaration }[] = [];
  /** The anonymous types that are being built, by their keys. */
  readonly #openTypes = new Set<string>();

  constructor(sources: SchemaSources) {
    this.sources = sources;
  }

  schemaAtUse(typed: Typed): Schema {
    return typeSchema(typed, this);
  }

  settledSchema(typed: Typed): Schema {
    return settle(this.schemaAtUse(typed), placeOf(typed), this.sources.log);
  }

  namedSchema(
    parts: readonly Declared[],
    node: ReferenceNode,
    env: Environment,
  ): Schema | { readonly cycle: string[] } {
    const [first] = parts;
    const key = `${first!.module.file}\0${first!.declaration.name}${this.#argumentsKey(node, env)}`;
    const known = this.#namedSchemas.get(key);
    if (known) return known;
    const name = first!.declaration.name;
    const open = this.#building.filter((building) => building.declaration === first!.declaration);
    // The same type, or too many uses of one generic type, is a cycle.
    const repeated = open.find((building) => building.key === key) ?? open[maxNesting];
    const start = repeated ? this.#building.indexOf(repeated) : -1;
    if (start !== -1)
      return { cycle: [...this.#building.slice(start).map((building) => building.name), name] };
    this.#building.push({ key, name, declaration: first!.declaration });
    try {
      const schema = this.#buildNamed(parts, node, env);
      this.#namedSchemas.set(key, schema);
      return schema;
    } finally {
      this.#building.pop();
    }
  }

  #buildNamed(parts: readonly Declared[], node: ReferenceNode, env: Environment): Schema {
    const main = parts.find(({ declaration }) => declaration.kind !== "const") ?? parts[0]!;
    const { log } = this.sources;
    const place: Place = { module: main.module, pos: main.declaration.pos };
    const schema = this.#structure(parts, main, node, env);
    const docs = parts
      .map(({ declaration }) => readDescription(declaration.comments))
      .find((text) => text !== undefined);
    if (docs !== undefined) schema.description = docs;
    else delete schema.description;
    const markers = parts.flatMap(({ declaration, module }) =>
      markersOn(declaration.comments, "type", module, this.sources),
    );
    applyMarkers(schema, markers, "type", place, log, () => stringConstants(main));
    const limit = markers.find(({ name }) => name === "tsbuilder:maxDescLen")?.args[""];
    const settled = limitDescriptions(
      settle(schema, place, log),
      limit === undefined ? undefined : Number(limit),
    );
    const bases = this.#bases(parts, node, env);
    if (bases.length === 0) return settled;
    const joined: Schema = {};
    for (const part of [...bases, settled]) {
      mergeInto(joined, part, ({ message, hint }) => log.error(place, message, hint));
    }
    const { title, description, externalDocs } = settled;
    return { ...joined, title, description, externalDocs };
  }

  #structure(parts: readonly Declared[], main: Declared, node: ReferenceNode, env: Environment): Schema {
    const { declaration, module } = main;
    const inner = scopeOf(main, node.args, env);
    switch (declaration.kind) {
      case "alias":
        return this.schemaAtUse({ node: declaration.type, env: inner });
      case "enum":
        return this.schemaAtUse({ node: { ...node, args: [] }, env });
      case "const":
        return {};
      default: {
        if (declaration.toJSON) return this.schemaAtUse({ node: declaration.toJSON, env: inner });
        const shape = ownShape(parts, (part) => scopeOf(part, node.args, env));
        const markers = parts.flatMap((part) =>
          markersOn(part.declaration.comments, "type", part.module, this.sources),
        );
        return objectSchema(shape, this, markers, { module, pos: declaration.pos });
      }
    }
  }

  /** Builds the schemas of the types that a type extends, without the properties that it redeclares. */
  #bases(parts: readonly Declared[], node: ReferenceNode, env: Environment): Schema[] {
    return parts.flatMap((part) => {
      const { declaration } = part;
      if (declaration.kind !== "interface" && declaration.kind !== "class") return [];
      const inner = scopeOf(part, node.args, env);
      const redeclared = new Set(
        declaration.members.flatMap((member) => (member.kind === "property" ? [member.name] : [])),
      );
      return declaration.extends.map((base) => {
        const typed = { node: base, env: inner };
        const settled = this.settledSchema(typed);
        const properties = Object.entries(settled.properties ?? {}).filter(([name]) => !redeclared.has(name));
        const required = settled.required?.filter((name) => !redeclared.has(name));
        return {
          ...settled,
          properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
          required: required && required.length > 0 ? required : undefined,
        };
      });
    });
  }

  anonymousSchema(typed: Typed): Schema | undefined {
    const shape = shapeOf(typed, this.sources);
    if (!shape) return undefined;
    return this.refuseCycle(typed, () => objectSchema(shape, this, [], placeOf(typed)));
  }

  refuseCycle(typed: Typed, build: () => Schema): Schema {
    const key = typeKey(typed);
    if (this.#openTypes.has(key)) return endlessTypeProblem(typed, "the type contains itself");
    this.#openTypes.add(key);
    try {
      return build();
    } finally {
      this.#openTypes.delete(key);
    }
  }

  #argumentsKey({ args }: ReferenceNode, env: Environment): string {
    if (args.length === 0) return "";
    const texts = args.map((arg) => {
      const bound = arg.kind === "reference" ? env.bindings.get(arg.name) : undefined;
      return typeKey(bound ?? { node: arg, env });
    });
    return `<${texts.join(",")}>`;
  }
}

function typeSchema(typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  switch (node.kind) {
    case "keyword":
      return keywordSchema(typed, node.name, builder.sources.options.allowDangerousTypes === true);
    case "literal":
      return enumSchema([node.value]);
    case "array":
      return arraySchema({ node: node.element, env }, builder);
    case "tuple":
      return tupleSchema(typed, builder);
    case "union":
      return unionSchema(typed, builder);
    case "template":
      // An anchored pattern: `${number}m` becomes `^-?[0-9]+(\.[0-9]+)?m$`.
      return { type: "string", pattern: `^${templatePattern(typed, builder.sources)}$` };
    case "reference":
      return referenceSchema(typed, builder);
    case "object":
    case "intersection":
    case "mapped":
      return objectLikeSchema(typed, builder);
    case "keyof":
    case "indexed":
    case "typeof": {
      const values = literalValues(typed, builder.sources);
      if (values) return enumSchema(values);
      const property = indexedProperty(typed, builder.sources);
      return property ? propertySchema(property, builder) : unknownTypeProblem(typed, builder);
    }
    case "unsupported":
      return problem(typed, `${node.what} is not supported in a schema`);
  }
}

const anythingHint =
  'use JSONValue or RawExtension from "@tsbuilder/runtime", or put +kubebuilder:pruning:PreserveUnknownFields on the field';

function keywordSchema(typed: Typed, name: string, areFractionsAllowed: boolean): Schema {
  switch (name) {
    case "string":
    case "boolean":
      return { type: name };
    case "number":
      if (areFractionsAllowed) return { type: "number" };
      return problem(
        typed,
        "a number may be fractional, which Kubernetes advises against",
        'use int32 or int64 from "@tsbuilder/runtime", or float64 if it must be fractional',
        { type: "number" },
      );
    case "object":
      return problem(typed, `"${name}" does not declare its fields`, anythingHint, { type: "object" });
    case "unknown":
    case "any":
      return problem(typed, `"${name}" does not declare its type`, anythingHint);
    case "bigint":
      return problem(typed, "JSON does not support bigint", "use int64, or a string for numbers beyond 2^53");
    case "null":
      return { nullable: true };
    default:
      return problem(typed, `"${name}" is not supported in a schema`);
  }
}

/** Converts a list. A list of conditions is a list map, as clients of conditions expect. */
function arraySchema(element: Typed, builder: Builder): Schema {
  const items = builder.schemaAtUse(element);
  const schema: Schema = { type: "array", items };
  const keys = findCoreSchema(element, builder)?.listMapKeys;
  if (keys) {
    schema["x-kubernetes-list-map-keys"] = keys;
    schema["x-kubernetes-list-type"] = "map";
  }
  return schema;
}

function tupleSchema(typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  if (node.kind !== "tuple") return {};
  const schemas = node.elements.map((element) => builder.settledSchema({ node: element, env }));
  const [first] = schemas;
  if (!first || schemas.some((schema) => JSON.stringify(schema) !== JSON.stringify(first))) {
    const message = "a tuple of different types is not supported in a structural schema";
    return problem(typed, message, "use an object, or a list of one type");
  }
  return { type: "array", items: first, minItems: schemas.length, maxItems: schemas.length };
}

/** Converts a union to an enum, an int-or-string, or one object for all variants; with null, it is nullable. */
function unionSchema(typed: Typed, builder: Builder): Schema {
  const members = unionMembers(typed, builder.sources);
  const isNullable = members.some((member) => isKeyword(member, "null"));
  const only = findOnlyMember(typed, builder.sources);
  const schema = only
    ? builder.schemaAtUse(only)
    : nonNullUnionSchema(
        members.filter((member) => !isNullish(member)),
        typed,
        builder,
      );
  return isNullable ? orNull(schema) : schema;
}

/** Finds the only member beside null and undefined as it is written, so that a named type keeps its description. */
function findOnlyMember({ node, env }: Typed, sources: SchemaSources): Typed | undefined {
  if (node.kind !== "union") return undefined;
  const [first, ...others] = node.members
    .map((member): Typed => ({ node: member, env }))
    .filter((member) => !unionMembers(member, sources).every(isNullish));
  return others.length === 0 ? first : undefined;
}

function nonNullUnionSchema(members: readonly Typed[], typed: Typed, builder: Builder): Schema {
  const [first] = members;
  if (!first) return problem(typed, "a union of null and undefined is not supported in a schema");
  if (members.length === 1) return builder.schemaAtUse(first);
  const literals = members.map((member) => literalValues(member, builder.sources));
  if (!literals.includes(undefined))
    return literalUnionSchema(
      literals.flatMap((values) => values ?? []),
      typed,
    );
  const variants = variantsSchema(members, typed, builder);
  if (variants) return variants;
  const schemas = members.map((member, i) => {
    const values = literals[i];
    return values
      ? enumSchema(values)
      : settle(builder.schemaAtUse(member), placeOf(member), builder.sources.log);
  });
  return scalarUnionSchema(schemas, typed);
}

function literalUnionSchema(values: readonly (string | number | bigint | boolean)[], typed: Typed): Schema {
  const schema = enumSchema([...new Set(values)]);
  if (schema.type || schema["x-kubernetes-int-or-string"]) return schema;
  const message = "an enum mixes booleans with other values";
  return problem(typed, message, "a structural schema has a single type: use strings");
}

/** Converts `"auto" | string` to a string, and `int32 | string` to an int-or-string; other unions are problems. */
function scalarUnionSchema(schemas: readonly Schema[], typed: Typed): Schema {
  const isIntOrString = (schema: Schema): boolean => schema["x-kubernetes-int-or-string"] === true;
  const types = new Set(
    schemas.flatMap((schema) => (isIntOrString(schema) ? ["integer", "string"] : [schema.type])),
  );
  const withoutEnum = schemas.filter((schema) => !schema.enum);
  const [only] = types;
  if (
    types.size === 1 &&
    withoutEnum.length > 0 &&
    only !== undefined &&
    only !== "object" &&
    only !== "array"
  ) {
    return { ...(withoutEnum.length === 1 ? withoutEnum[0] : { type: only }) };
  }
  const isNumberOrString =
    types.size === 2 && types.has("string") && (types.has("integer") || types.has("number"));
  if (isNumberOrString) return integerOrString();
  const hint = "a structural schema has a single type: use an object with one optional field for each";
  return problem(typed, "the members of this union have no common type", hint);
}

function templatePattern({ node, env }: Typed, sources: SchemaSources): string {
  if (node.kind !== "template") return "";
  const spans = node.spans.map(
    ({ type, text }) => placeholderPattern({ node: type, env }, sources) + escape(text),
  );
  return escape(node.head) + spans.join("");
}

/** The patterns of the types that a template literal type may contain. */
const keywordPatterns: Readonly<Record<string, string>> = {
  number: "-?[0-9]+(\\.[0-9]+)?",
  bigint: "-?[0-9]+",
  boolean: "(true|false)",
  string: ".*",
};

function placeholderPattern(typed: Typed, sources: SchemaSources): string {
  const { node, env } = typed;
  const values = literalValues(typed, sources);
  if (values) return group(values.map((value) => escape(String(value))));
  if (node.kind === "template") return templatePattern(typed, sources);
  if (node.kind === "union")
    return group(node.members.map((member) => placeholderPattern({ node: member, env }, sources)));
  if (node.kind === "keyword") return keywordPatterns[node.name] ?? ".*";
  if (node.kind !== "reference") return ".*";
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "external") return /^int(?:32|64)$/u.test(resolved.name) ? "-?[0-9]+" : ".*";
  if (resolved.kind === "bound") return placeholderPattern(resolved.typed, sources);
  if (resolved.kind !== "declared") return ".*";
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return ".*";
  return placeholderPattern(
    { node: alias.declaration.type, env: { module: alias.module, bindings: new Map() } },
    sources,
  );
}

function group(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives[0]! : `(${alternatives.join("|")})`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}

function objectLikeSchema(typed: Typed, builder: Builder): Schema {
  const values = typed.node.kind === "intersection" ? literalValues(typed, builder.sources) : undefined;
  if (values && values.length > 0) return enumSchema(values);
  return (
    builder.anonymousSchema(typed) ??
    variantsSchema([typed], typed, builder) ??
    problem(typed, "only object types can be combined or mapped")
  );
}

function referenceSchema(typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  if (node.kind !== "reference") return {};
  const resolved = resolveReference(node, env, builder.sources);
  switch (resolved.kind) {
    case "bound":
      return builder.schemaAtUse(resolved.typed);
    case "utility":
      return utilitySchema(resolved.name, typed, builder);
    case "external":
      return externalSchema(typed, resolved.specifier, resolved.name, builder);
    case "missing": {
      const values = literalValues(typed, builder.sources);
      return values
        ? enumSchema(values)
        : problem(typed, `type "${node.name}" not found`, hintForMissing(node.name));
    }
    case "declared": {
      const isEnum = resolved.parts.some(({ declaration }) => declaration.kind === "enum");
      if (isEnum) {
        const values = literalValues(typed, builder.sources);
        if (values) return enumSchema(values);
        return problem(typed, "a value of this enum is computed", "write it as a literal");
      }
      const named = builder.namedSchema(resolved.parts, node, env);
      if (!("cycle" in named)) return reference(named);
      return endlessTypeProblem(typed, `the type contains itself: ${named.cycle.join(" → ")}`);
    }
  }
}

/** Returns the problem of a recursive type; the markers in its hint make the field an object of any content. */
function endlessTypeProblem(typed: Typed, message: string): Schema {
  const markers = "+kubebuilder:pruning:PreserveUnknownFields and +kubebuilder:validation:Schemaless";
  return problem(typed, message, `a schema must be finite: put ${markers} on the field`, { type: "object" });
}

/** Types for JSON in place of types of JavaScript, which have no JSON form or an unexpected one. */
const replacements: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  Buffer: "a string with +kubebuilder:validation:Format=byte",
  Date: 'Time from "@tsbuilder/runtime"',
  Map: "Record<string, T>",
  Number: 'int32, int64 or float64 from "@tsbuilder/runtime"',
  Object: 'JSONValue from "@tsbuilder/runtime"',
  ReadonlyMap: "Record<string, T>",
  ReadonlySet: "a list with +listType=set",
  RegExp: "string",
  Set: "a list with +listType=set",
  String: "string",
  URL: "a string with +kubebuilder:validation:Format=uri",
  Uint8Array: "a string with +kubebuilder:validation:Format=byte",
};

function hintForMissing(name: string): string {
  if (Object.hasOwn(replacements, name)) return `"${name}" is not a type of JSON: use ${replacements[name]}`;
  return wellKnownSchema(name, false)
    ? `import it: import type { ${name} } from "@tsbuilder/runtime"`
    : "import it, or fix its name";
}

function utilitySchema(name: string, typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  if (node.kind !== "reference") return {};
  const [argument] = node.args;
  if (!argument) return problem(typed, `${name} requires a type argument`);
  const inner = { node: argument, env };
  if (name === "Array" || name === "ReadonlyArray") return arraySchema(inner, builder);
  if (name === "NonNullable" || name === "NoInfer") {
    const schema = builder.schemaAtUse(inner);
    return name === "NonNullable" ? { ...schema, nullable: undefined } : schema;
  }
  const values = literalValues(typed, builder.sources);
  if (values) return enumSchema(values);
  const isWrappedScalar = name === "Readonly" && !builder.anonymousSchema(typed);
  if (isWrappedScalar) return builder.schemaAtUse(inner);
  return (
    builder.anonymousSchema(typed) ?? problem(typed, `${name} of this type is not supported in a schema`)
  );
}

function externalSchema(typed: Typed, specifier: string, name: string, builder: Builder): Schema {
  const { options } = builder.sources;
  const core = builder.sources.coreSchema(specifier, name);
  if (core && name !== "ObjectMeta") return reference(core.schema);
  const known = isRuntimeModule(specifier)
    ? wellKnownSchema(name, options.generateEmbeddedObjectMeta === true)
    : undefined;
  if (known) return { ...known };
  const object = builder.anonymousSchema(typed);
  if (object) return object;
  return problem(
    typed,
    `"${name}" not found in "${specifier}"`,
    specifier.startsWith(".")
      ? "check the import path"
      : "check the import; types of other packages are available once they are installed",
  );
}

function findCoreSchema({ node, env }: Typed, builder: Builder): CoreSchema | undefined {
  if (node.kind !== "reference") return undefined;
  const resolved = resolveReference(node, env, builder.sources);
  return resolved.kind === "external"
    ? builder.sources.coreSchema(resolved.specifier, resolved.name)
    : undefined;
}

/** Returns whether a module has the scalars and the metadata of Kubernetes: the runtime, or apimachinery. */
function isRuntimeModule(specifier: string): boolean {
  return /^@tsbuilder\/(?:runtime(?:\/k8s\/meta\/v1)?|apimachinery\/meta)$/u.test(specifier);
}

function unknownTypeProblem(typed: Typed, { sources }: Builder): Schema {
  const { node, env } = typed;
  const constant = node.kind === "indexed" ? node.object : node;
  const isWide = constant.kind === "typeof" && !hasLiteralType(constant.path, env.module, sources.graph);
  return isWide
    ? problem(
        typed,
        `the values of "${constant.path}" are not part of its type`,
        "write as const behind its value",
      )
    : problem(typed, "this type is not known without running the compiler");
}

/** Lists the string constants of a file that are declared with a type, for `k8s:enum`. */
function stringConstants({ declaration, module }: Declared): string[] {
  return [...module.declarations.values()].flat().flatMap((other) => {
    if (other.kind !== "const" || other.value.kind !== "literal") return [];
    const isOfType = other.type?.kind === "reference" && other.type.name === declaration.name;
    return isOfType && typeof other.value.value === "string" ? [other.value.value] : [];
  });
}

/** The most uses of one generic type within itself: with new arguments in each, they would never end. */
const maxNesting = 20;

/** Returns a key for a type: its position, with the arguments of the generic types around it. */
function typeKey({ node, env }: Typed, outer: readonly Environment["bindings"][] = []): string {
  const value = node.kind === "literal" ? String(node.value) : "";
  const at = `${env.module.file}@${node.pos}${JSON.stringify(node.kind)}${value}`;
  const { bindings } = env;
  // The default of a parameter refers to the parameters beside it.
  if (bindings.size === 0 || outer.includes(bindings)) return at;
  const inner = [...outer, bindings];
  const args = [...bindings].map(([name, bound]) => `${name}=${typeKey(bound, inner)}`);
  return `${at}{${args.join(",")}}`;
}
