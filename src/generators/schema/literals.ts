import { evaluate, hasLiteralType, NotStatic } from "../loader/index.ts";
import type { SchemaSources, Typed } from "./environment.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import type { Property } from "./property.ts";
import { shapeOf } from "./shape.ts";

type Literal = string | number | bigint | boolean;

/**
 * The values of a type that consists of literals, in source order; undefined for other types. The compiler would return
 * them in the order in which it first encountered them.
 */
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
      const value = narrowValue({ node, env }, sources);
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
  if (resolved.kind !== "declared") return enumMember(node.name, env, sources);
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

/** `Color.Red` as a type is a single value of an enum. */
function enumMember(name: string, env: Typed["env"], sources: SchemaSources): Literal[] | undefined {
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

/** `Exclude<T, U>` and `Extract<T, U>` of literals. */
function filteredValues(name: string, { node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "reference" || (name !== "Exclude" && name !== "Extract")) return undefined;
  const [from, by] = node.args.map((arg): Typed => ({ node: arg, env }));
  const all = from && literalValues(from, sources);
  const accepts = by && valueFilter(by, sources);
  return all && accepts && all.filter((value) => accepts(value) === (name === "Extract"));
}

/** Which literals belong to a type: those of a union, or all strings, numbers or booleans. */
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

/** `(typeof list)[number]` and `(typeof map)[keyof typeof map]`. */
function indexedValues({ node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "indexed") return undefined;
  const value = node.object.kind === "typeof" ? narrowValue({ node: node.object, env }, sources) : undefined;
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

/** `T["name"]`: the type of one property. */
export function indexedProperty({ node, env }: Typed, sources: SchemaSources): Property | undefined {
  if (node.kind !== "indexed") return undefined;
  const keys = literalValues({ node: node.index, env }, sources);
  const shape = shapeOf({ node: node.object, env }, sources);
  return keys?.length === 1 ? shape?.properties.get(String(keys[0])) : undefined;
}

/** The value of a constant that has a literal type: one without `as const` is a string, or an array of strings. */
function narrowValue(typed: Typed, sources: SchemaSources): unknown {
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
