/**
 * The properties of a type (`shapeOf`), and the values of one that consists of literals (`literalValues`). They are in one
 * file because each needs the other: `Pick` selects properties by literals, and `keyof` lists properties as literals.
 */

import type {
  Declared,
  LeadingComments,
  MappedModifier,
  Member,
  Resolved,
  TypeNode,
} from "../loader/index.ts";
import { NotStatic, evaluate, hasLiteralType } from "../loader/index.ts";
import type { SchemaSources } from "./builder.ts";
import type { Environment, Typed } from "./environment.ts";
import { findAliased, followOnce, resolveReference, scopeOf, someMember } from "./environment.ts";
import type { Schema } from "../model/schema.ts";
import { markersOn } from "./comments.ts";

/** A property of a type, wherever it was declared: its comments and names are resolved in its own file. */
export interface Property {
  readonly name: string;
  readonly type: Typed;
  /** Precomputed, for a property of a built-in type of Kubernetes. */
  readonly schema?: Schema;
  readonly optional: boolean;
  /** `-?` or `Required` removed undefined from the type. */
  readonly isDefined?: boolean;
  readonly readonly: boolean;
  readonly comments: LeadingComments | undefined;
  readonly pos: number;
  readonly env: Environment;
  /** The same property in other members of an intersection. */
  readonly others?: readonly Property[];
}

/** The properties of an object type, in order of declaration, and the type of its additional properties. */
export interface Shape {
  readonly properties: Map<string, Property>;
  readonly index: Typed | undefined;
  /** Members that have no name in JSON. */
  readonly foreign: readonly { readonly what: string; readonly env: Environment; readonly pos: number }[];
}

/** Finds the properties of an object type; undefined for other types. */
export function shapeOf({ node, env }: Typed, sources: SchemaSources): Shape | undefined {
  switch (node.kind) {
    case "object":
      return membersShape(node.members, env);
    case "intersection": {
      const shapes = node.members.map((member) => shapeOf({ node: member, env }, sources));
      return shapes.includes(undefined) ? undefined : joinIntersection(shapes as Shape[]);
    }
    case "mapped":
      return mappedShape(node, env, sources);
    case "reference": {
      const resolved = resolveReference(node, env, sources);
      if (resolved.kind === "bound") return shapeOf(resolved.typed, sources);
      if (resolved.kind === "utility") return utilityShape(resolved.name, node.args, env, sources);
      if (resolved.kind === "external") {
        const core = sources.coreSchema(resolved.specifier, resolved.name);
        return (
          customResourceShape(resolved.name, node, env, sources) ??
          (core && coreShape(core.schema, node.pos, env))
        );
      }
      return resolved.kind === "declared" ? declaredShape(resolved, node.args, env, sources) : undefined;
    }
    default:
      return undefined;
  }
}

/** The properties of the runtime's base types of kinds: `CustomResource<Spec, Status>` has those of its arguments. */
function customResourceShape(
  name: string,
  node: TypeNode & { kind: "reference" },
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  if (!["TypeMeta", "KubernetesObject", "CustomResource"].includes(name)) return undefined;
  const properties = [textProperty("apiVersion"), textProperty("kind")];
  const metadata: TypeNode = {
    kind: "reference",
    name: "ObjectMeta",
    args: [],
    specifier: "@tsbuilder/runtime",
    pos: node.pos,
  };
  if (name !== "TypeMeta") properties.push(newProperty("metadata", { node: metadata, env }, true, node.pos));
  const [spec, status] = node.args;
  if (name === "CustomResource") {
    if (spec && !isUnknown(spec)) properties.push(newProperty("spec", { node: spec, env }, false, spec.pos));
    if (status && !isUnknown(status))
      properties.push(newProperty("status", { node: status, env }, true, status.pos));
  }
  return { ...emptyShape(), properties: new Map(properties) };

  function textProperty(key: "apiVersion" | "kind"): [string, Property] {
    const type: TypeNode = { kind: "keyword", name: "string", pos: node.pos };
    const [, property] = newProperty(key, { node: type, env }, true, node.pos);
    return [key, { ...property, schema: { type: "string", description: sources.typeMetaText(key) } }];
  }
}

function isUnknown(node: TypeNode): boolean {
  return node.kind === "keyword" && ["unknown", "any", "never", "undefined"].includes(node.name);
}

/** The properties of a built-in type of Kubernetes, so that `Omit` and `Pick` work on it. */
function coreShape(schema: Schema, pos: number, env: Environment): Shape | undefined {
  if (!schema.properties) return undefined;
  const unknown: Typed = { node: { kind: "keyword", name: "unknown", pos }, env };
  const properties = Object.entries(schema.properties).map(([name, property]): [string, Property] => {
    const optional = schema.required?.includes(name) !== true;
    return [name, { ...newProperty(name, unknown, optional, pos)[1], schema: property }];
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

function declaredShape(
  resolved: Extract<Resolved, { kind: "declared" }>,
  args: readonly TypeNode[],
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  const alias = findAliased(resolved, args, env);
  if (alias) return followOnce(alias.declaration, () => shapeOf(alias.type, sources));
  const parts = resolved.parts.filter(
    ({ declaration }) => declaration.kind === "interface" || declaration.kind === "class",
  );
  if (parts.length === 0) return undefined;
  const envOf = (part: Declared): Environment => scopeOf(part, args, env);
  const bases = parts.flatMap((part) =>
    part.declaration.kind === "interface" || part.declaration.kind === "class"
      ? part.declaration.extends.map((base) => shapeOf({ node: base, env: envOf(part) }, sources))
      : [],
  );
  return joinShapes([...bases, ownShape(parts, envOf)]);
}

/** The shape of an interface's or class's own members, without its bases. */
export function ownShape(parts: readonly Declared[], env: (part: Declared) => Environment): Shape {
  const shapes = parts.flatMap((part) => {
    const { declaration } = part;
    return declaration.kind === "interface" || declaration.kind === "class"
      ? [membersShape(declaration.members, env(part))]
      : [];
  });
  return joinShapes(shapes) ?? emptyShape();
}

function membersShape(members: readonly Member[], env: Environment): Shape {
  const properties = new Map<string, Property>();
  let index: Typed | undefined;
  const foreign: { what: string; env: Environment; pos: number }[] = [];
  for (const member of members) {
    if (member.kind === "property") {
      properties.set(member.name, { ...member, type: { node: member.type, env }, env });
    } else if (member.kind === "index") index = { node: member.value, env };
    else foreign.push({ what: member.what, env, pos: member.pos });
  }
  return { properties, index, foreign };
}

/** Merges shapes; the last definition of a property wins. */
function joinShapes(shapes: readonly (Shape | undefined)[]): Shape | undefined {
  if (shapes.includes(undefined)) return undefined;
  const known = shapes as readonly Shape[];
  return {
    properties: new Map(known.flatMap(({ properties }) => [...properties])),
    index: known.findLast(({ index }) => index)?.index,
    foreign: known.flatMap(({ foreign }) => foreign),
  };
}

/** The shape of an intersection: a property of several members has the types and markers of all of them. */
export function joinIntersection(shapes: readonly Shape[]): Shape {
  const properties = new Map<string, Property>();
  for (const property of shapes.flatMap((shape) => [...shape.properties.values()])) {
    const known = properties.get(property.name);
    properties.set(property.name, known ? joinProperty(known, property) : property);
  }
  return { ...(joinShapes(shapes) ?? emptyShape()), properties };
}

function joinProperty(known: Property, property: Property): Property {
  const others = [...declarationsOf(property), ...declarationsOf(known)].slice(1);
  return {
    ...property,
    optional: known.optional && property.optional,
    readonly: known.readonly && property.readonly,
    others,
  };
}

/** The shape of a utility type: `Pick` and the like keep the comments of each property, and so its markers. */
function utilityShape(
  name: string,
  args: readonly TypeNode[],
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  const [subject, keys] = args;
  if (!subject) return undefined;
  if (name === "Record") return recordShape(subject, keys, env, sources);
  const shape = shapeOf({ node: subject, env }, sources);
  if (!shape) return undefined;
  const change = (edit: (property: Property) => Property | undefined): Shape => ({
    ...shape,
    properties: new Map(
      [...shape.properties.values()].flatMap((property) => {
        const edited = edit(property);
        return edited ? [[edited.name, edited] as const] : [];
      }),
    ),
  });
  switch (name) {
    case "Partial":
      return change((property) => withModifiers(property, "add", undefined));
    case "Required":
      return change((property) => withModifiers(property, "remove", undefined));
    case "Readonly":
      return change((property) => withModifiers(property, undefined, "add"));
    case "Pick":
    case "Omit": {
      const names = keys && literalValues({ node: keys, env }, sources);
      if (!names) return undefined;
      const listed = new Set(names.map(String));
      return change((property) => (listed.has(property.name) === (name === "Pick") ? property : undefined));
    }
    default:
      return undefined;
  }
}

function recordShape(
  keys: TypeNode,
  value: TypeNode | undefined,
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  const names = literalValues({ node: keys, env }, sources);
  if (!value) return undefined;
  const type = { node: value, env };
  if (!names) return mapShape({ node: keys, env }, type, sources);
  return {
    ...emptyShape(),
    properties: new Map(names.map((name) => newProperty(String(name), type, false, keys.pos))),
  };
}

function mapShape(keys: Typed, value: Typed, sources: SchemaSources): Shape | undefined {
  return allowsAnyName(keys, sources) ? { ...emptyShape(), index: value } : undefined;
}

/** Returns whether keys of this type can have any name, as those of `Record<string, T>`. */
function allowsAnyName(keys: Typed, sources: SchemaSources): boolean {
  return someMember(keys, sources, ({ node, env }) => {
    switch (node.kind) {
      case "keyword":
        return ["string", "number", "any"].includes(node.name);
      case "template":
        return true;
      case "keyof":
        return shapeOf({ node: node.type, env }, sources)?.index !== undefined;
      default:
        return false;
    }
  });
}

type MappedNode = Extract<TypeNode, { kind: "mapped" }>;

function mappedShape(node: MappedNode, env: Environment, sources: SchemaSources): Shape | undefined {
  const names = literalValues({ node: node.keys, env }, sources);
  if (!names) return mapShape({ node: node.keys, env }, { node: node.type, env }, sources);
  const source = mappedSource(node, env, sources);
  const properties = names.map((value): [string, Property] => {
    const name = String(value);
    const key: Typed = { node: { kind: "literal", value, pos: node.pos }, env };
    const inner = { module: env.module, bindings: new Map([...env.bindings, [node.parameter, key]]) };
    const [, created] = newProperty(name, { node: node.type, env: inner }, false, node.pos);
    const { optional = false, readonly = false } = source?.properties.get(name) ?? {};
    const copied = findCopiedProperty(node, inner, name, sources);
    return [name, withModifiers(copied ?? { ...created, optional, readonly }, node.optional, node.readonly)];
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

/**
 * Finds the type whose `?` and `readonly` a mapped type keeps: T in `{ [K in keyof T]: … }`, and in `{ [P in K]: … }` if K
 * is a type parameter that extends `keyof T`.
 */
function mappedSource({ keys }: MappedNode, env: Environment, sources: SchemaSources): Shape | undefined {
  if (keys.kind === "keyof") return shapeOf({ node: keys.type, env }, sources);
  const constraint = keys.kind === "reference" ? env.bindings.get(keys.name)?.constraint : undefined;
  return constraint?.node.kind === "keyof"
    ? shapeOf({ node: constraint.node.type, env: constraint.env }, sources)
    : undefined;
}

/** Finds the property of T that a mapped type copies with `T[K]`, because its comments and markers are copied, too. */
function findCopiedProperty(
  { type, parameter }: MappedNode,
  env: Environment,
  name: string,
  sources: SchemaSources,
): Property | undefined {
  if (type.kind !== "indexed" || type.index.kind !== "reference" || type.index.name !== parameter) {
    return undefined;
  }
  return shapeOf({ node: type.object, env }, sources)?.properties.get(name);
}

function emptyShape(): Shape {
  return { properties: new Map(), index: undefined, foreign: [] };
}

/** Lists a property as each member of an intersection declares it, the last one first. */
export function declarationsOf(property: Property): readonly Property[] {
  return property.others ? [property, ...property.others] : [property];
}

/** Creates an entry for a property without a declaration, such as `a` of `Record<"a" | "b", T>`. */
function newProperty(name: string, type: Typed, optional: boolean, pos: number): [string, Property] {
  return [name, { name, type, optional, readonly: false, comments: undefined, pos, env: type.env }];
}

/** Applies the modifiers of a mapped type to a property. */
function withModifiers(property: Property, optional: MappedModifier, readonly: MappedModifier): Property {
  return {
    ...property,
    ...(optional && { optional: optional === "add" }),
    ...(optional === "remove" && property.optional && { isDefined: true }),
    ...(readonly && { readonly: readonly === "add" }),
  };
}

type Literal = string | number | bigint | boolean;

/** Lists the values of a type that consists of literals, in source order; undefined for other types. */
export function literalValues({ node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  switch (node.kind) {
    case "literal":
      return [node.value];
    case "union": {
      const members = node.members.map((member) => literalValues({ node: member, env }, sources));
      return members.includes(undefined) ? undefined : unique(members.flatMap((values) => values ?? []));
    }
    case "intersection": {
      const members = node.members.map((member): Typed => ({ node: member, env }));
      const values = members
        .map((member) => literalValues(member, sources))
        .find((list) => list !== undefined);
      const filters = members.map((member) => valueFilter(member, sources));
      if (!values || filters.includes(undefined)) return undefined;
      return values.filter((value) => filters.every((accepts) => accepts!(value)));
    }
    case "keyof": {
      const shape = shapeOf({ node: node.type, env }, sources);
      if (shape) return shape.index ? undefined : [...shape.properties.keys()];
      const value =
        node.type.kind === "typeof" ? constantValue({ node: node.type, env }, sources) : undefined;
      return typeof value === "object" && value !== null ? Object.keys(value) : undefined;
    }
    case "indexed":
      return indexedValues({ node, env }, sources);
    case "typeof": {
      const value = literalConstantValue({ node, env }, sources);
      return isLiteral(value) ? [value] : undefined;
    }
    case "reference":
      return referencedValues({ node, env }, sources);
    default:
      return undefined;
  }
}

function referencedValues({ node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "reference") return undefined;
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return literalValues(resolved.typed, sources);
  if (resolved.kind === "utility") return filteredValues(resolved.name, { node, env }, sources);
  if (resolved.kind !== "declared") return enumMemberValues(node.name, env, sources);
  for (const part of resolved.parts) {
    const { declaration } = part;
    if (declaration.kind === "alias") {
      const type = { node: declaration.type, env: scopeOf(part, node.args, env) };
      return followOnce(declaration, () => literalValues(type, sources));
    }
    if (declaration.kind === "enum") {
      const values = declaration.members.map(({ value }) => value);
      return values.includes(undefined) ? undefined : (values as Literal[]);
    }
  }
  return undefined;
}

/** Lists the value of `Color.Red`, a member of an enum as a type. */
function enumMemberValues(name: string, env: Typed["env"], sources: SchemaSources): Literal[] | undefined {
  const dot = name.lastIndexOf(".");
  if (dot === -1) return undefined;
  const resolved = sources.graph.resolve(name.slice(0, dot), env.module);
  if (resolved?.kind !== "declared") return undefined;
  for (const { declaration } of resolved.parts) {
    if (declaration.kind !== "enum") continue;
    const value = declaration.members.find((member) => member.name === name.slice(dot + 1))?.value;
    if (value !== undefined) return [value];
  }
  return undefined;
}

/** Lists the values of `Exclude<T, U>` or `Extract<T, U>`, if T consists of literals. */
function filteredValues(name: string, { node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "reference" || (name !== "Exclude" && name !== "Extract")) return undefined;
  const [from, by] = node.args.map((arg): Typed => ({ node: arg, env }));
  const all = from && literalValues(from, sources);
  const accepts = by && valueFilter(by, sources);
  return all && accepts && all.filter((value) => accepts(value) === (name === "Extract"));
}

/** Returns a test for the literals of a type: the members of a union, or all strings, numbers or booleans. */
function valueFilter(typed: Typed, sources: SchemaSources): ((value: Literal) => boolean) | undefined {
  const { node, env } = typed;
  const values = literalValues(typed, sources);
  if (values) return (value) => values.includes(value);
  if (node.kind === "keyword") {
    return ["string", "number", "boolean"].includes(node.name)
      ? (value) => typeof value === node.name
      : undefined;
  }
  if (node.kind !== "union") return undefined;
  const filters = node.members.map((member) => valueFilter({ node: member, env }, sources));
  return filters.includes(undefined) ? undefined : (value) => filters.some((accepts) => accepts!(value));
}

/** Lists the values of `(typeof list)[number]`, `(typeof map)[keyof typeof map]`, or of a property `T["name"]`. */
function indexedValues({ node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "indexed") return undefined;
  const value =
    node.object.kind === "typeof" ? literalConstantValue({ node: node.object, env }, sources) : undefined;
  if (value !== undefined && typeof value === "object" && value !== null) {
    const keys = Array.isArray(value) ? undefined : literalValues({ node: node.index, env }, sources);
    const values = keys
      ? keys.map((key) => (value as Record<string, unknown>)[String(key)])
      : Object.values(value);
    return values.every(isLiteral) ? unique(values) : undefined;
  }
  const property = indexedProperty({ node, env }, sources);
  return property && literalValues(property.type, sources);
}

/** Finds the property that `T["name"]` refers to; undefined for several names. */
export function indexedProperty({ node, env }: Typed, sources: SchemaSources): Property | undefined {
  if (node.kind !== "indexed") return undefined;
  const keys = literalValues({ node: node.index, env }, sources);
  const shape = shapeOf({ node: node.object, env }, sources);
  return keys?.length === 1 ? shape?.properties.get(String(keys[0])) : undefined;
}

/** Evaluates a constant that has a literal type; undefined without `as const`, where TypeScript widens its type. */
function literalConstantValue(typed: Typed, sources: SchemaSources): unknown {
  const { node, env } = typed;
  if (node.kind !== "typeof" || !hasLiteralType(node.path, env.module, sources.graph)) return undefined;
  return constantValue(typed, sources);
}

function constantValue({ node, env }: Typed, { graph }: SchemaSources): unknown {
  if (node.kind !== "typeof") return undefined;
  const value = evaluate({ kind: "name", path: node.path, pos: node.pos }, env.module, graph);
  return value instanceof NotStatic ? undefined : value;
}

function isLiteral(value: unknown): value is Literal {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Lists the members of a union, and of unions in it. A named union with markers is one member. */
export function unionMembers(typed: Typed, sources: SchemaSources): Typed[] {
  const { node, env } = typed;
  if (node.kind === "union") {
    return node.members.flatMap((member) => unionMembers({ node: member, env }, sources));
  }
  if (node.kind !== "reference") return [typed];
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return unionMembers(resolved.typed, sources);
  const alias = findAliased(resolved, node.args, env);
  if (!alias || !["union", "keyword", "reference"].includes(alias.type.node.kind)) return [typed];
  const { declaration, module, type } = alias;
  if (markersOn(declaration.comments, "type", module, sources).length > 0) return [typed];
  return followOnce(declaration, () => unionMembers(type, sources)) ?? [typed];
}

export function isKeyword({ node }: Typed, name: string): boolean {
  return node.kind === "keyword" && node.name === name;
}

/** Returns whether a type is `null`, `undefined` or `never`, which give a field no type. */
export function isNullish(member: Typed): boolean {
  return ["null", "undefined", "never"].some((name) => isKeyword(member, name));
}
