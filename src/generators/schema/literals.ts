import { evaluate, NotStatic } from "../loader/index.ts";
import type { SchemaSources, Typed } from "./environment.ts";
import { followOnce, resolveReference } from "./resolve.ts";
import { type Property, shapeOf } from "./shape.ts";

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
      const value = constantValue({ node, env }, sources);
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
  for (const { declaration, module } of resolved.parts) {
    if (declaration.kind === "alias" && declaration.typeParameters.length === 0) {
      const env = { module, bindings: new Map() };
      return followOnce(declaration, () => literalValues({ node: declaration.type, env }, sources));
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
  const [all, some] = node.args.map((arg) => literalValues({ node: arg, env }, sources));
  if (!all || !some) return undefined;
  return all.filter((value) => some.includes(value) === (name === "Extract"));
}

/** `(typeof list)[number]` and `(typeof map)[keyof typeof map]`. */
function indexedValues({ node, env }: Typed, sources: SchemaSources): Literal[] | undefined {
  if (node.kind !== "indexed") return undefined;
  const value =
    node.object.kind === "typeof" ? constantValue({ node: node.object, env }, sources) : undefined;
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
