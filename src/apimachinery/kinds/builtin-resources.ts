import type { JSONObject } from "../json/index.ts";
import type { GroupVersion, Scope } from "../meta/index.ts";
import { text } from "./generated/resources.ts";
import { type Release, defaultRelease } from "./releases.ts";

const resourcesByRelease = new Map<Release | "all", readonly BuiltinResource[]>();

/** Returns the built-in resources of a release, or of all, in the order of discovery, the core group first. Frozen and shared. */
export function builtinResources(release: Release | "all" = defaultRelease): readonly BuiltinResource[] {
  const known = resourcesByRelease.get(release);
  if (known) return known;
  const resources =
    release === "all"
      ? freeze(JSON.parse(text) as BuiltinResource[])
      : Object.freeze(builtinResources("all").filter(({ releases }) => releases.includes(release)));
  resourcesByRelease.set(release, resources);
  return resources;
}

/** Finds a resource by its plural name, as in URLs; undefined if it is not built in. */
export function findResource(
  { group, version }: GroupVersion,
  plural: string,
  release?: Release,
): BuiltinResource | undefined {
  return builtinResources(release).find(
    (resource) => resource.plural === plural && resource.group === group && resource.version === version,
  );
}

/** Finds the resource of a kind. Kinds of subresources have none, such as `Scale` and `Eviction`. */
export function findKind(
  { group, version }: GroupVersion,
  kind: string,
  release?: Release,
): BuiltinResource | undefined {
  return builtinResources(release).find(
    (resource) => resource.kind === kind && resource.group === group && resource.version === version,
  );
}

/** A verb as listed in discovery. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A resource that every Kubernetes API server serves: its entry in discovery, and the rules of its registry. */
export interface BuiltinResource extends GroupVersion {
  /** `group/version`, or the bare version for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** `undefined` for resources that can only be created and are never stored, such as reviews. */
  readonly listKind: string | undefined;
  readonly plural: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly BuiltinSubresource[];
  /** The name of its type in the schema tables: `apps/v1.Deployment`. */
  readonly type: string;
  /** True for the preferred version of the group. */
  readonly isPreferred: boolean;
  /**
   * The group and version under which objects are stored. Resources with the same storage and plural share their
   * objects: events of both groups, autoscalers of both versions.
   */
  readonly storage: GroupVersion;
  /** The storage version hash in discovery. `undefined` if nothing is stored. */
  readonly storageVersionHash: string | undefined;
  /** Fields that field selectors support besides `metadata.name` and `metadata.namespace`. */
  readonly fieldSelectors: readonly string[];
  /** The columns of its tables, in order; the server computes the cells. Empty if there is no table. */
  readonly columns: readonly PrinterColumn[];
  readonly rules: RegistryRules;
  /**
   * The JSON of a zero object in Go: the structs that are not pointers, and the fields without `omitempty`. It has no
   * metadata, apiVersion and kind.
   */
  readonly zero: JSONObject;
  /** The releases that serve it like this. */
  readonly releases: readonly Release[];
}

/** A subresource, which may have its own kind: `pods/eviction`. */
export interface BuiltinSubresource extends GroupVersion {
  readonly name: string;
  /** The kind of request and response bodies. */
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

/** A column of a table; columns with a priority above 0 are shown in wide output only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly priority: number;
}

/** The rules in which the registries of kinds differ. */
export interface RegistryRules {
  /** True: `metadata.generation` starts at 1 and is incremented with each change of the spec. False: never set. */
  readonly hasGeneration: boolean;
  /** True: a PUT without a resourceVersion overwrites. False: it is rejected with 422. */
  readonly allowsUnconditionalUpdate: boolean;
  /** True: a PUT creates an object that does not exist. */
  readonly allowsCreateOnUpdate: boolean;
  /** The propagation policy of delete requests that have none; unsupported ones are ignored. */
  readonly defaultPropagation: "Background" | "Orphan" | "Unsupported";
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
}
