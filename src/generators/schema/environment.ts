import type { Place } from "../model/diagnostic.ts";
import type {
  Declaration,
  Declared,
  Module,
  ModuleGraph,
  ReferenceNode,
  Resolved,
  TypeNode,
} from "../loader/index.ts";

/** The scope of a type node's names: its module, and the arguments of the enclosing generic types. */
export interface Environment {
  readonly module: Module;
  readonly bindings: ReadonlyMap<string, Typed>;
}

/** A type node with its scope. */
export interface Typed {
  readonly node: TypeNode;
  readonly env: Environment;
  /** For the argument of a type parameter: the type that the parameter extends. */
  readonly constraint?: Typed;
}

/** Returns the position of a type in its source, for an error about it. */
export function placeOf({ node, env }: Typed): Place {
  return { module: env.module, pos: node.pos };
}

/** Returns the scope within a declaration, whose type parameters are bound to the arguments of a use in `env`. */
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

/** The meaning of a reference: `bound` is a type parameter, `utility` a type such as `Pick`; the rest is the loader's. */
type Reference =
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

/** Resolves a reference in the order of TypeScript: type parameters, declarations and imports, then built-in types. */
export function resolveReference(
  node: ReferenceNode,
  env: Environment,
  { graph }: { readonly graph: ModuleGraph },
): Reference {
  const bound = env.bindings.get(node.name);
  if (bound && node.args.length === 0) return { kind: "bound", typed: bound };
  const resolved = node.specifier
    ? graph.resolveExport(node.specifier, node.name, env.module)
    : graph.resolve(node.name, env.module);
  if (resolved) return resolved;
  return utilities.has(node.name) ? { kind: "utility", name: node.name } : { kind: "missing" };
}

/** Returns the type that an alias stands for at one use; undefined if a name is no alias. */
export function findAliased(
  resolved: Reference,
  args: readonly TypeNode[],
  env: Environment,
): { readonly declaration: Declaration; readonly module: Module; readonly type: Typed } | undefined {
  if (resolved.kind !== "declared") return undefined;
  for (const part of resolved.parts) {
    const { declaration, module } = part;
    if (declaration.kind !== "alias") continue;
    return { declaration, module, type: { node: declaration.type, env: scopeOf(part, args, env) } };
  }
  return undefined;
}

/** The aliases that are being followed. */
const active = new Set<Declaration>();

/** Calls a function that follows an alias; undefined within the same alias: a circular one has no shape and no values. */
export function followOnce<T>(declaration: Declaration, follow: () => T): T | undefined {
  if (active.has(declaration)) return undefined;
  active.add(declaration);
  try {
    return follow();
  } finally {
    active.delete(declaration);
  }
}

/** Returns whether a type passes a test, or one member of a union does; aliases and type parameters are followed. */
export function someMember(
  { node, env }: Typed,
  sources: { readonly graph: ModuleGraph },
  passes: (member: Typed) => boolean,
): boolean {
  if (node.kind === "union") {
    return node.members.some((member) => someMember({ node: member, env }, sources, passes));
  }
  if (node.kind !== "reference") return passes({ node, env });
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return someMember(resolved.typed, sources, passes);
  const alias = findAliased(resolved, node.args, env);
  if (!alias) return false;
  return followOnce(alias.declaration, () => someMember(alias.type, sources, passes)) ?? false;
}
