import type { Declared, LeadingComments, Member, Resolved, TypeNode } from "../loader/index.ts";
import type { Environment, SchemaSources, Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import type { Schema } from "./schema.ts";
import { bindParameters, followOnce, resolveReference } from "./resolve.ts";

/** A property of a type, wherever it was declared: its comments and names are resolved in its own file. */
export interface Property {
  readonly name: string;
  readonly type: Typed;
  /** Precomputed, for a property of a built-in type of Kubernetes. */
  readonly schema?: Schema;
  readonly optional: boolean;
  readonly readonly: boolean;
  readonly comments: LeadingComments | undefined;
  readonly pos: number;
  readonly env: Environment;
}

/** The properties of an object type, in order of declaration, and the type of its additional properties. */
export interface Shape {
  readonly properties: Map<string, Property>;
  readonly index: Typed | undefined;
  readonly foreign: readonly { readonly what: string; readonly env: Environment; readonly pos: number }[];
}

/** Finds the properties of an object type; undefined for other types. */
export function shapeOf({ node, env }: Typed, sources: SchemaSources): Shape | undefined {
  switch (node.kind) {
    case "object":
      return membersShape(node.members, env);
    case "intersection":
      return joinShapes(node.members.map((member) => shapeOf({ node: member, env }, sources)));
    case "mapped":
      return mappedShape(node, env, sources);
    case "reference": {
      const resolved = resolveReference(node, env, sources);
      if (resolved.kind === "bound") return shapeOf(resolved.typed, sources);
      if (resolved.kind === "utility") return utilityShape(resolved.name, node.args, env, sources);
      if (resolved.kind === "external") {
        const core = sources.coreSchema(resolved.specifier, resolved.name);
        return externalShape(resolved.name, node, env) ?? (core && coreShape(core.schema, node.pos, env));
      }
      return resolved.kind === "declared" ? declaredShape(resolved, node.args, env, sources) : undefined;
    }
    default:
      return undefined;
  }
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

function emptyShape(): Shape {
  return { properties: new Map(), index: undefined, foreign: [] };
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
    const { declaration, module } = alias;
    const inner = { module, bindings: bindParameters(declaration, args, env) };
    return followOnce(declaration, () => shapeOf({ node: declaration.type, env: inner }, sources));
  }
  const parts = resolved.parts.filter(
    ({ declaration }) => declaration.kind === "interface" || declaration.kind === "class",
  );
  if (parts.length === 0) return undefined;
  const envOf = ({ declaration, module }: Declared): Environment => ({
    module,
    bindings: bindParameters(declaration, args, env),
  });
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
      return change((property) => ({ ...property, optional: true }));
    case "Required":
      return change((property) => ({ ...property, optional: false }));
    case "Readonly":
      return change((property) => ({ ...property, readonly: true }));
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
  if (!names) return { ...emptyShape(), index: type };
  return {
    ...emptyShape(),
    properties: new Map(names.map((name) => madeProperty(String(name), type, false, keys.pos))),
  };
}

function mappedShape(
  node: Extract<TypeNode, { kind: "mapped" }>,
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  const names = literalValues({ node: node.keys, env }, sources);
  if (!names) return { ...emptyShape(), index: { node: node.type, env } };
  const properties = names.map((name) => {
    const key: Typed = { node: { kind: "literal", value: name, pos: node.pos }, env };
    const inner = { module: env.module, bindings: new Map([...env.bindings, [node.parameter, key]]) };
    return madeProperty(String(name), { node: node.type, env: inner }, node.optional, node.pos);
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

/** `CustomResource<Spec, Status>` and the like: object metadata by name, the rest from the arguments. */
function externalShape(
  name: string,
  node: TypeNode & { kind: "reference" },
  env: Environment,
): Shape | undefined {
  if (!["TypeMeta", "KubernetesObject", "CustomResource"].includes(name)) return undefined;
  const properties = [property("apiVersion", "string", true), property("kind", "string", true)];
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

  function property(key: string, type: string, optional: boolean): [string, Property] {
    return madeProperty(
      key,
      { node: { kind: "keyword", name: type, pos: node.pos }, env },
      optional,
      node.pos,
    );
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

function madeProperty(name: string, type: Typed, optional: boolean, pos: number): [string, Property] {
  return [name, { name, type, optional, readonly: false, comments: undefined, pos, env: type.env }];
}
