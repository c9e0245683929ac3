import type { GroupVersion, Scope } from "@tsbuilder/apimachinery/meta";
import type { MarkerValue } from "../model/schema.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Module, ModuleCache } from "../loader/index.ts";
import type { ModuleMarkers } from "../markers/collect.ts";
import type { CoreSchemas } from "../schema/built-in-types.ts";

/** The sources that a result was made from: the result is the same as long as they are. */
export interface MadeFrom {
  /** Changes with the markers of the modules' packages, and with the options. */
  readonly key: string;
  readonly modules: readonly Module[];
}

interface CachedKinds extends MadeFrom {
  readonly kinds: readonly KindSummary[];
}

interface CachedFile extends MadeFrom, CrdFile {}

interface CachedCrd extends CachedFile {
  /** Reported again in each run that reuses the CRD. A CRD with errors is not kept. */
  readonly warnings: readonly Diagnostic[];
}

/** The results of a run on a project, so that the next run only processes what changed. */
export interface GeneratorCache {
  readonly modules: ModuleCache;
  readonly markers: WeakMap<Module, ModuleMarkers>;
  readonly kindMarkers: WeakMap<Module, readonly KindMarker[]>;
  /** By the file that declares them; only where nothing was found to report. */
  readonly kinds: Map<string, CachedKinds>;
  readonly crds: Map<string, CachedCrd>;
  /** The text of CRDs, which an earlier process may have kept. */
  readonly files: Map<string, CachedFile>;
  readonly coreSchemas: Map<string, CoreSchemas>;
}

/** The options of `defineKind` and the effects of markers, without the type of the kind. */
export interface KindSummary extends GroupVersion {
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  /** The position of its declaration in the module. */
  readonly pos: number;
  readonly featureGate: MarkerValue | undefined;
  /** True for a version that +kubebuilder:skipversion leaves out of its CRD. */
  readonly isSkipped: boolean;
  /** The positions of its markers: `file:position`. */
  readonly markedAt: readonly string[];
}

/** A marker for kinds, and the name of the type below it. */
export interface KindMarker {
  readonly name: string;
  readonly pos: number;
  readonly declared: string;
}

/** The text of a CRD, and the file it is written to. */
export interface CrdFile {
  readonly fileName: string;
  readonly text: string;
}

/** Creates an empty cache; keep it while watching. */
export function createCache(): GeneratorCache {
  return {
    modules: new Map(),
    markers: new WeakMap(),
    kindMarkers: new WeakMap(),
    kinds: new Map(),
    crds: new Map(),
    files: new Map(),
    coreSchemas: new Map(),
  };
}
