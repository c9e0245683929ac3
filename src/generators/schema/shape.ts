import type { Declared, Member, Resolved, TypeNode } from "../loader/index.ts";
import type { Environment, SchemaSources, Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import {
  type Property,
  type Shape,
  declarationsOf,
  emptyShape,
  madeProperty,
  withModifiers,
} from "./property.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import { someMember } from "./some-member.ts";
import type { Schema } from "./schema.ts";

/** Finds the properties of an object type; undefined for other types. */
export function shapeOf({ node, env }: Typed, sources: SchemaSources): Shape | undefined {
  switch (node.kind) {
    case "object":
      return membersShape(node.members, env);
    case "intersection":
      return intersectionShape(node.members.map((member) => shapeOf({ node: member, env }, sources)));
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

/** `CustomResource<Spec, Status>` and the like: object metadata by name, the rest from the arguments. */
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
  if (name !== "TypeMeta") properties.push(madeProperty("metadata", { node: metadata, env }, true, node.pos));
  const [spec, status] = node.args;
  if (name === "CustomResource") {
    if (spec && !isUnknown(spec)) properties.push(madeProperty("spec", { node: spec, env }, false, spec.pos));
    if (status && !isUnknown(status))
      properties.push(madeProperty("status", { node: status, env }, true, status.pos));
  }
  return { ...emptyShape(), properties: new Map(properties) };

  function textProperty(key: "apiVersion" | "kind"): [string, Property] {
    const type: TypeNode = { kind: "keyword", name: "string", pos: node.pos };
    const [, property] = madeProperty(key, { node: type, env }, true, node.pos);
    return [key, { ...property, schema: { type: "string", description: sources.typeMetaText(key) } }];
  }
}

/** The properties of a built-in type of Kubernetes, so that `Omit` and `Pick` work on it. */
function coreShape(schema: Schema, pos: number, env: Environment): Shape | undefined {
  if (!schema.properties) return undefined;
  const unknown: Typed = { node: { kind: "keyword", name: "unknown", pos }, env };
  const properties = Object.entries(schema.properties).map(([name, property]): [string, Property] => {
    const optional = schema.required?.includes(name) !== true;
    return [name, { ...madeProperty(name, unknown, optional, pos)[1], schema: property }];
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

function isUnknown(node: TypeNode): boolean {
  return node.kind === "keyword" && ["unknown", "any", "never", "undefined"].includes(node.name);
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

function intersectionShape(shapes: readonly (Shape | undefined)[]): Shape | undefined {
  return shapes.includes(undefined) ? undefined : joinMembers(shapes as readonly Shape[]);
}

/** The shape of an intersection: a property of several members has the types and markers of all of them. */
export function joinMembers(shapes: readonly Shape[]): Shape {
  const properties = new Map<string, Property>();
  for (const property of shapes.flatMap((shape) => [...shape.properties.values()])) {
    const known = properties.get(property.name);
    properties.set(property.name, known ? both(known, property) : property);
  }
  return { ...(joinShapes(shapes) ?? emptyShape()), properties };
}

function both(known: Property, property: Property): Property {
  const others = [...declarationsOf(property), ...declarationsOf(known)].slice(1);
  return {
    ...property,
    optional: known.optional && property.optional,
    readonly: known.readonly && property.readonly,
    others,
  };
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

function declaredShape(
  resolved: Extract<Resolved, { kind: "declared" }>,
  args: readonly TypeNode[],
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind === "alias") {
    const { declaration } = alias;
    const inner = scopeOf(alias, args, env);
    return followOnce(declaration, () => shapeOf({ node: declaration.type, env: inner }, sources));
  }
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

/** `Pick`, `Omit` and the like keep each property's own comments, and thus its markers. */
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
    properties: new Map(names.map((name) => madeProperty(String(name), type, false, keys.pos))),
  };
}

function mapShape(keys: Typed, value: Typed, sources: SchemaSources): Shape | undefined {
  return areArbitrary(keys, sources) ? { ...emptyShape(), index: value } : undefined;
}

/** Returns whether keys of this type can have any name, as those of `Record<string, T>`. */
function areArbitrary(keys: Typed, sources: SchemaSources): boolean {
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

function mappedShape(node: MappedNode, env: Environment, sources: SchemaSources): Shape | undefined {
  const names = literalValues({ node: node.keys, env }, sources);
  if (!names) return mapShape({ node: node.keys, env }, { node: node.type, env }, sources);
  const source = mappedSource(node, env, sources);
  const properties = names.map((value): [string, Property] => {
    const name = String(value);
    const key: Typed = { node: { kind: "literal", value, pos: node.pos }, env };
    const inner = { module: env.module, bindings: new Map([...env.bindings, [node.parameter, key]]) };
    const [, made] = madeProperty(name, { node: node.type, env: inner }, false, node.pos);
    const { optional = false, readonly = false } = source?.properties.get(name) ?? {};
    const same = sameProperty(node, inner, name, sources);
    return [name, withModifiers(same ?? { ...made, optional, readonly }, node.optional, node.readonly)];
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

type MappedNode = Extract<TypeNode, { kind: "mapped" }>;

/**
 * The type whose `?` and `readonly` a mapped type keeps: T in `{ [K in keyof T]: … }`, and also where K is a parameter
 * that extends `keyof T`.
 */
function mappedSource({ keys }: MappedNode, env: Environment, sources: SchemaSources): Shape | undefined {
  if (keys.kind === "keyof") return shapeOf({ node: keys.type, env }, sources);
  const constraint = keys.kind === "reference" ? env.bindings.get(keys.name)?.constraint : undefined;
  return constraint?.node.kind === "keyof"
    ? shapeOf({ node: constraint.node.type, env: constraint.env }, sources)
    : undefined;
}

/** The property that `T[K]` copies from T, with its comments, and so its markers. */
function sameProperty(
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
