import type { Declared, Module, ModuleGraph, ReferenceNode } from "../loader/index.ts";
import type { Marker, ModuleMarkers } from "../markers/collect.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { type Schema, problemKey } from "../model/schema.ts";
import { type Environment, type Typed, placeOf } from "./environment.ts";

/** Builds the schemas of the types within a type, for the functions that convert one; see `SchemaBuilder`. */
export interface Builder {
  readonly sources: SchemaSources;
  /** Returns the schema of a type where it is used; a named type remains a reference until `settle` merges it. */
  schemaAtUse(typed: Typed): Schema;
  /** Returns the schema of a type, with named types merged into it by `settle`. */
  settledSchema(typed: Typed): Schema;
  /** Returns the complete schema of a named type; for one that contains itself, the names in the cycle. */
  namedSchema(
    parts: readonly Declared[],
    node: ReferenceNode,
    env: Environment,
  ): Schema | { readonly cycle: string[] };
  /** Returns the schema of an anonymous object type, or of one derived from others; undefined for other types. */
  anonymousSchema(typed: Typed): Schema | undefined;
  /** Calls `build` for a type without a name; returns a problem if the type contains itself. */
  refuseCycle(typed: Typed, build: () => Schema): Schema;
}

/** The context for building schemas. */
export interface SchemaSources {
  readonly graph: ModuleGraph;
  readonly log: DiagnosticLog;
  readonly options: GeneratorOptions;
  markersOf(module: Module): ModuleMarkers;
  /** Markers of the version that a module belongs to. */
  packageMarkers(module: Module): readonly Marker[];
  /** Returns the schema of a built-in type of Kubernetes; undefined if the module has none of that name. */
  coreSchema(specifier: string, name: string): CoreSchema | undefined;
  /** Returns the description that Kubernetes gives to apiVersion or kind of every object. */
  typeMetaText(field: "apiVersion" | "kind"): string | undefined;
}

/** A built-in type of Kubernetes, with the list metadata for lists of it. */
export interface CoreSchema {
  readonly schema: Schema;
  readonly listMapKeys?: readonly string[] | undefined;
}

/** Returns a schema with an error, which `settle` reports unless a marker on the field replaces the type. */
export function problem(
  typed: Typed,
  message: string,
  hint = "use another type, or put +kubebuilder:validation:Schemaless on the field",
  schema: Schema = {},
): Schema {
  return { ...schema, [problemKey]: { place: placeOf(typed), message, hint } };
}
