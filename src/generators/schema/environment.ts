import type { DiagnosticLog, Place } from "../diagnostic.ts";
import type { Module, ModuleGraph, TypeNode } from "../loader/index.ts";
import type { Marker, ModuleMarkers } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import type { Schema } from "./schema.ts";

/** The scope of a type node's names: its module, and the arguments of the enclosing generic types. */
export interface Environment {
  readonly module: Module;
  readonly bindings: ReadonlyMap<string, Typed>;
}

/** A type node with its scope. */
export interface Typed {
  readonly node: TypeNode;
  readonly env: Environment;
  /** What the type parameter extends to which this is the argument. */
  readonly constraint?: Typed;
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

export function placeOf({ node, env }: Typed): Place {
  return { module: env.module, pos: node.pos };
}
