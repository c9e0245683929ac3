import type { Declaration, Declared, ReferenceNode, Resolved, TypeNode } from "../loader/index.ts";
import type { Environment, SchemaSources, Typed } from "./environment.ts";

/** What a reference in a type refers to. */
export type Reference =
  | Resolved
  | { readonly kind: "bound"; readonly typed: Typed }
  | { readonly kind: "utility"; readonly name: string }
  | { readonly kind: "missing" };

/** TypeScript's built-in types that are supported in a schema. */
const utilities = new Set(
  "Pick Omit Partial Required Readonly Record Array ReadonlyArray NonNullable Exclude Extract NoInfer".split(
    " ",
  ),
);

/** Resolves a reference: a type parameter, a declaration, a name of a package, or a built-in type of TypeScript. */
export function resolveReference(
  node: ReferenceNode,
  env: Environment,
  { graph }: Pick<SchemaSources, "graph">,
): Reference {
  const bound = env.bindings.get(node.name);
  if (bound && node.args.length === 0) return { kind: "bound", typed: bound };
  const resolved = node.specifier
    ? graph.resolveExport(node.specifier, node.name, env.module)
    : graph.resolve(node.name, env.module);
  if (resolved) return resolved;
  return utilities.has(node.name) ? { kind: "utility", name: node.name } : { kind: "missing" };
}

/** The scope within a declaration: its parameters are bound to the arguments of one use in `env`. */
export function scopeOf(
  { declaration, module }: Declared,
  args: readonly TypeNode[],
  env: Environment,
): Environment {
  const bindings = new Map<string, Typed>();
  const inner: Environment = { module, bindings };
  for (const [i, { name, constraint, fallback }] of declaration.typeParameters.entries()) {
    const node = args[i] ?? fallback;
    if (!node) continue;
    const extended = constraint && { constraint: { node: constraint, env: inner } };
    bindings.set(name, { node, env: args[i] ? env : inner, ...extended });
  }
  return inner;
}

const active = new Set<Declaration>();

/** Follows each alias once: a circular alias has no shape and no values. */
export function followOnce<T>(declaration: Declaration, follow: () => T): T | undefined {
  if (active.has(declaration)) return undefined;
  active.add(declaration);
  try {
    return follow();
  } finally {
    active.delete(declaration);
  }
}
