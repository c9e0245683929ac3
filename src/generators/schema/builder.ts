import type { Declared, Module, ModuleGraph, ReferenceNode } from "../loader/index.ts";
import type { Marker, ModuleMarkers } from "../markers/collect.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { type Schema, problemKey } from "../model/schema.ts";
import { type Environment, type Typed, placeOf } from "./environment.ts";

/** Builds the schemas of types within types, for the functions that convert one type. `SchemaBuilder` implements it. */
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

/** Returns a schema that is reported as an error, unless a marker on the field replaces it. */
export function problem(
  typed: Typed,
  message: string,
  hint = "use another type, or put +kubebuilder:validation:Schemaless on the field",
  schema: Schema = {},
): Schema {
  return { ...schema, [problemKey]: { place: placeOf(typed), message, hint } };
}
