/** The options of the generators; all have defaults. */
export interface GeneratorOptions {
  /**
   * Folders or files to read, relative to the project's root. Default: `api` for kinds; `api` and `src` for markers.
   */
  readonly paths?: readonly string[];
  /** Name of the ClusterRole in `config/rbac/role.yaml`. */
  readonly roleName?: string;
  /** The generators to run. Default: all of them. */
  readonly only?: readonly GeneratorName[];
  /** The output folder of each generator. */
  readonly output?: Partial<Record<GeneratorName, string>>;
  /** Maximum length of descriptions in bytes: 0 removes all of them. */
  readonly maxDescLen?: number;
  /** Allows `number`, which becomes a floating-point schema. */
  readonly allowDangerousTypes?: boolean;
  /** Generates name, namespace, labels, annotations and finalizers in the schema of an embedded ObjectMeta. */
  readonly generateEmbeddedObjectMeta?: boolean;
  /** Text at the start of each generated file; ` YEAR` in it becomes `year`. */
  readonly header?: string;
  readonly year?: string;
  /** The value of the annotation with the generator of a CRD. */
  readonly versionAnnotation?: { readonly key: string; readonly value: string };
  /** Enabled feature gates; fields, rules and webhooks of other gates are omitted. */
  readonly featureGates?: readonly string[];
  /** Treats a `readonly` property as immutable. */
  readonly readonlyImmutable?: boolean;
  /** Adds a comment to each RBAC rule with the markers it comes from. */
  readonly provenance?: boolean;
  /** Shortens descriptions of a CRD that is too large for `kubectl apply`, the most deeply nested first. */
  readonly trimDescriptions?: boolean;
  /** Deletes CRD files without a kind. */
  readonly prune?: boolean;
}

/** The generators by name, as in `--only`. */
export type GeneratorName = "crd" | "rbac" | "webhook";
