import type { GroupVersion, Scope } from "../meta/index.ts";

/** A request verb as discovery lists it. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A resource that every Kubernetes API server has: what discovery says of it, and the rules its registry follows. */
export interface BuiltinResource extends GroupVersion {
  /** `group/version`, or the bare version for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** `undefined` for resources that are only created and never stored, such as reviews. */
  readonly listKind: string | undefined;
  readonly plural: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly BuiltinSubresource[];
  /** Name of its type in the schema tables: `apps/v1.Deployment`. */
  readonly type: string;
  /** Whether this is the version that clients get who don't name one. */
  readonly isPreferred: boolean;
  /**
   * The group and version under which objects are stored. Events of both groups are the same objects, and so are
   * autoscalers of both versions: what has the same storage and plural shares its objects.
   */
  readonly storage: GroupVersion;
  /** The hash that discovery shows; it changes only with what is stored. `undefined` if nothing is stored. */
  readonly storageVersionHash: string | undefined;
  /** Fields a field selector may name, besides `metadata.name` and `metadata.namespace`. */
  readonly fieldSelectors: readonly string[];
  /** The columns of its tables, in order; the cells are computed by the server. Empty: it has no table form. */
  readonly columns: readonly PrinterColumn[];
  readonly rules: RegistryRules;
}

/** Something below an object, with a kind of its own in requests and answers: `pods/eviction`. */
export interface BuiltinSubresource extends GroupVersion {
  readonly name: string;
  /** What requests carry and answers hold. */
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

/** A column of a table; one with a priority above 0 shows only in wide tables. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly priority: number;
}

/** What the registry of one kind does differently from that of another. */
export interface RegistryRules {
  /** `metadata.generation` is 1 at creation and counts changes of the spec; without, it is never set. */
  readonly hasGeneration: boolean;
  /** A PUT without a resourceVersion overwrites; without, it is refused with 422. */
  readonly allowsUnconditionalUpdate: boolean;
  /** A PUT to a name that is free creates. */
  readonly allowsCreateOnUpdate: boolean;
  /** What becomes of dependents if the delete request doesn't say. */
  readonly defaultPropagation: "Background" | "Orphan";
}
