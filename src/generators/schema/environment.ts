import type { DiagnosticLog, Place } from "../diagnostic.ts";
import type { Module, ModuleGraph, TypeNode } from "../loader/index.ts";
import type { Marker, ModuleMarkers } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import type { Schema } from "./schema.ts";

/** Where a type node's names are looked up: its module, and the arguments of the generic types around it. */
export interface Environment {
  readonly module: Module;
  readonly bindings: ReadonlyMap<string, Typed>;
}

/** A type node together with the names it can use. */
export interface Typed {
  readonly node: TypeNode;
  readonly env: Environment;
}

/** What building schemas needs from around it. */
export interface SchemaSources {
  readonly graph: ModuleGraph;
  readonly log: DiagnosticLog;
  readonly options: GeneratorOptions;
  markersOf(module: Module): ModuleMarkers;
  /** Markers that hold for the version in which a module stands. */
  packageMarkers(module: Module): readonly Marker[];
  /** The schema of a type of Kubernetes' own API; undefined if there is none of that name. */
  coreSchema(specifier: string, name: string): CoreSchema | undefined;
  /** What Kubernetes says about the apiVersion and kind of every object. */
  typeMetaText(field: "apiVersion" | "kind"): string | undefined;
}

/** A type of Kubernetes' own, with what the list that holds it has to say. */
export interface CoreSchema {
  readonly schema: Schema;
  readonly listMapKeys?: readonly string[] | undefined;
}

export function placeOf({ node, env }: Typed): Place {
  return { module: env.module, pos: node.pos };
}
