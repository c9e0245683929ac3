import { hasLiteralType } from "../loader/index.ts";
import {
  type Builder,
  type CoreSchema,
  type SchemaSources,
  type Typed,
  endless,
  placeOf,
  problem,
  resolveReference,
} from "./environment.ts";
import { indexedProperty, isKeyword, isNothing, literalValues, unionMembers } from "./shape.ts";
import { propertySchema } from "./object-schema.ts";
import { type Schema, enumSchema, orNull, reference } from "../model/schema.ts";
import { variantsSchema } from "./variants-schema.ts";
import { wellKnownSchema } from "./built-in-types.ts";
import { settle } from "./merge.ts";

/** Converts a type, as written, to a schema. */
export function typeSchema(typed: Typed, builder: Builder): Schema {
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
      return { type: "string", pattern: templatePattern(typed, builder.sources) };
    case "reference":
      return referenceSchema(typed, builder);
    case "object":
    case "intersection":
    case "mapped":
      return objectLike(typed, builder);
    case "keyof":
    case "indexed":
    case "typeof": {
      const values = literalValues(typed, builder.sources);
      if (values) return enumSchema(values);
      const property = indexedProperty(typed, builder.sources);
      return property ? propertySchema(property, builder) : unknownType(typed, builder);
    }
    case "unsupported":
      return problem(typed, `${node.what} is not supported in a schema`);
  }
}

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

const anythingHint =
  'use JSONValue or RawExtension from "@tsbuilder/runtime", or put +kubebuilder:pruning:PreserveUnknownFields on the field';

/** Converts a list. A list of conditions is a list map, as clients of conditions expect. */
function arraySchema(element: Typed, builder: Builder): Schema {
  const items = builder.use(element);
  const schema: Schema = { type: "array", items };
  const keys = coreOf(element, builder)?.listMapKeys;
  if (keys) {
    schema["x-kubernetes-list-map-keys"] = keys;
    schema["x-kubernetes-list-type"] = "map";
  }
  return schema;
}

function tupleSchema(typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  if (node.kind !== "tuple") return {};
  const schemas = node.elements.map((element) => builder.finished({ node: element, env }));
  const [first] = schemas;
  if (!first || schemas.some((schema) => JSON.stringify(schema) !== JSON.stringify(first))) {
    return problem(
      typed,
      "a tuple of different types is not supported in a structural schema",
      "use an object, or a list of one type",
    );
  }
  return { type: "array", items: first, minItems: schemas.length, maxItems: schemas.length };
}

/**
 * A union: an enum for literals, nullable with null, int-or-string for numbers and strings, and variants for objects.
 */
function unionSchema(typed: Typed, builder: Builder): Schema {
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

function withoutNull(members: readonly Typed[], typed: Typed, builder: Builder): Schema {
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

/** Converts a template literal type to an anchored pattern: `${number}m` to `^-?[0-9]+(\.[0-9]+)?m$`. */
function templatePattern(typed: Typed, sources: SchemaSources): string {
  return `^${partPattern(typed, sources)}$`;
}

function partPattern({ node, env }: Typed, sources: SchemaSources): string {
  if (node.kind !== "template") return "";
  const spans = node.spans.map(({ type, text }) => holePattern({ node: type, env }, sources) + escape(text));
  return escape(node.head) + spans.join("");
}

function holePattern(typed: Typed, sources: SchemaSources): string {
  const { node, env } = typed;
  const values = literalValues(typed, sources);
  if (values) return group(values.map((value) => escape(String(value))));
  if (node.kind === "template") return partPattern(typed, sources);
  if (node.kind === "union")
    return group(node.members.map((member) => holePattern({ node: member, env }, sources)));
  if (node.kind === "keyword") return keywords[node.name] ?? ".*";
  if (node.kind !== "reference") return ".*";
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "external") return /^int(?:32|64)$/u.test(resolved.name) ? "-?[0-9]+" : ".*";
  if (resolved.kind === "bound") return holePattern(resolved.typed, sources);
  if (resolved.kind !== "declared") return ".*";
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return ".*";
  return holePattern(
    { node: alias.declaration.type, env: { module: alias.module, bindings: new Map() } },
    sources,
  );
}

const keywords: Readonly<Record<string, string>> = {
  number: "-?[0-9]+(\\.[0-9]+)?",
  bigint: "-?[0-9]+",
  boolean: "(true|false)",
  string: ".*",
};

function group(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives[0]! : `(${alternatives.join("|")})`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}

function objectLike(typed: Typed, builder: Builder): Schema {
  const values = typed.node.kind === "intersection" ? literalValues(typed, builder.sources) : undefined;
  if (values && values.length > 0) return enumSchema(values);
  return (
    builder.anonymous(typed) ??
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
      return builder.use(resolved.typed);
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
      if (isEnum) return enumReference(typed, builder);
      const named = builder.named(resolved.parts, node, env);
      if (!("cycle" in named)) return reference(named);
      return endless(typed, `the type contains itself: ${named.cycle.join(" → ")}`);
    }
  }
}

/** Suggests a type in place of one of JavaScript that has no form in JSON, or an unexpected one. */
function hintForMissing(name: string): string {
  return Object.hasOwn(replacements, name)
    ? `"${name}" is not a type of JSON: use ${replacements[name]}`
    : "import it, or fix its name";
}

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

function enumReference(typed: Typed, builder: Builder): Schema {
  const values = literalValues(typed, builder.sources);
  return values
    ? enumSchema(values)
    : problem(typed, "a value of this enum is computed", "write it as a literal");
}

function utilitySchema(name: string, typed: Typed, builder: Builder): Schema {
  const { node, env } = typed;
  if (node.kind !== "reference") return {};
  const [argument] = node.args;
  if (!argument) return problem(typed, `${name} requires a type argument`);
  const inner = { node: argument, env };
  if (name === "Array" || name === "ReadonlyArray") return arraySchema(inner, builder);
  if (name === "NonNullable" || name === "NoInfer") {
    const schema = builder.use(inner);
    return name === "NonNullable" ? { ...schema, nullable: undefined } : schema;
  }
  const values = literalValues(typed, builder.sources);
  if (values) return enumSchema(values);
  const isWrappedScalar = name === "Readonly" && !builder.anonymous(typed);
  if (isWrappedScalar) return builder.use(inner);
  return builder.anonymous(typed) ?? problem(typed, `${name} of this type is not supported in a schema`);
}

function externalSchema(typed: Typed, specifier: string, name: string, builder: Builder): Schema {
  const { options } = builder.sources;
  const core = builder.sources.coreSchema(specifier, name);
  if (core && name !== "ObjectMeta") return reference(core.schema);
  const known = isRuntime(specifier)
    ? wellKnownSchema(name, options.generateEmbeddedObjectMeta === true)
    : undefined;
  if (known) return { ...known };
  const object = builder.anonymous(typed);
  if (object) return object;
  return problem(
    typed,
    `"${name}" not found in "${specifier}"`,
    specifier.startsWith(".")
      ? "check the import path"
      : "check the import; types of other packages are available once they are installed",
  );
}

function coreOf({ node, env }: Typed, builder: Builder): CoreSchema | undefined {
  if (node.kind !== "reference") return undefined;
  const resolved = resolveReference(node, env, builder.sources);
  return resolved.kind === "external"
    ? builder.sources.coreSchema(resolved.specifier, resolved.name)
    : undefined;
}

/** Scalars and metadata come from the runtime, or from apimachinery. */
function isRuntime(specifier: string): boolean {
  return /^@tsbuilder\/(?:runtime(?:\/k8s\/meta\/v1)?|apimachinery\/meta)$/u.test(specifier);
}

function unknownType(typed: Typed, { sources }: Builder): Schema {
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
