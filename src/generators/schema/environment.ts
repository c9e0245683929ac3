import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import type {
  Declaration,
  Declared,
  Module,
  ModuleGraph,
  ReferenceNode,
  Resolved,
  TypeNode,
} from "../loader/index.ts";
import type { Marker, ModuleMarkers } from "../markers/collect.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { type Schema, problemKey } from "../model/schema.ts";

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

export function placeOf({ node, env }: Typed): Place {
  return { module: env.module, pos: node.pos };
}

/** The context for building schemas. */
export interface SchemaSources {
  readonly graph: ModuleGraph;
  readonly log: DiagnosticLog;
  readonly options: GeneratorOptions;
  markersOf(module: Module): ModuleMarkers;
  /** Markers of the version that a module belongs to. */
  packageMarkers(module: Module): readonly Marker[];
  /** The schema of a built-in type of Kubernetes; undefined if there is none of that name. */
  coreSchema(specifier: string, name: string): CoreSchema | undefined;
  /** The descriptions of apiVersion and kind in every object. */
  typeMetaText(field: "apiVersion" | "kind"): string | undefined;
}

/** A built-in type of Kubernetes, with the list metadata for lists of it. */
export interface CoreSchema {
  readonly schema: Schema;
  readonly listMapKeys?: readonly string[] | undefined;
}

/** Builds the schemas of types within types: the functions that convert one type get it, and `SchemaBuilder` is it. */
export interface Builder {
  readonly sources: SchemaSources;
  /** Returns the schema of a type at its use; a named type remains a reference until `settle` merges it. */
  use(typed: Typed): Schema;
  /** Returns the schema of a type with its named types merged. */
  finished(typed: Typed): Schema;
  /**
   * Returns the complete schema of a named type with its own markers. A type that contains itself results in the names
   * of the cycle.
   */
  named(
    parts: readonly Declared[],
    node: ReferenceNode,
    env: Environment,
  ): Schema | { readonly cycle: string[] };
  /** Returns the schema of an anonymous object type, or of one derived from others; undefined for other types. */
  anonymous(typed: Typed): Schema | undefined;
  /** Builds the schema of a type without a name. A type that is part of itself is a problem. */
  unlessEndless(typed: Typed, build: () => Schema): Schema;
}

/** A schema that is an error unless a marker on the field clarifies it. */
export function problem(
  typed: Typed,
  message: string,
  hint = "use another type, or put +kubebuilder:validation:Schemaless on the field",
  schema: Schema = {},
): Schema {
  return { ...schema, [problemKey]: { place: placeOf(typed), message, hint } };
}

/** A recursive type: a schema must be finite. */
export function endless(typed: Typed, message: string): Schema {
  return problem(
    typed,
    message,
    "a schema must be finite: put +kubebuilder:pruning:PreserveUnknownFields and +kubebuilder:validation:Schemaless on the field",
    { type: "object" },
  );
}

/** The meaning of a reference in a type. */
type Reference =
  | Resolved
  | { readonly kind: "bound"; readonly typed: Typed }
  | { readonly kind: "utility"; readonly name: string }
  | { readonly kind: "missing" };

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

/** TypeScript's built-in types that are supported in a schema. */
const utilities = new Set(
  "Pick Omit Partial Required Readonly Record Array ReadonlyArray NonNullable Exclude Extract NoInfer".split(
    " ",
  ),
);

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

/** Returns whether a type passes a test, or one member of a union does; aliases and type parameters are followed. */
export function someMember(
  { node, env }: Typed,
  sources: SchemaSources,
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
