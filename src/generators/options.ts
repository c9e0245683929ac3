/** What can be told to the generators; everything has a default. */
export interface GeneratorOptions {
  /** Folders or files to read, from the project's root. Default: `api` for kinds; `api` and `src` for markers. */
  readonly paths?: readonly string[];
  /** Name of the ClusterRole in `config/rbac/role.yaml`. */
  readonly roleName?: string;
  /** Which generators run; all of them unless said otherwise. */
  readonly only?: readonly GeneratorName[];
  /** Where each generator writes. */
  readonly output?: Partial<Record<GeneratorName, string>>;
  /** Longest description in bytes: 0 removes all of them. */
  readonly maxDescLen?: number;
  /** Allows `number`, which becomes a floating-point schema. */
  readonly allowDangerousTypes?: boolean;
  /** Writes name, namespace, labels, annotations and finalizers into the schema of an embedded ObjectMeta. */
  readonly generateEmbeddedObjectMeta?: boolean;
  /** Text to put before each generated file; ` YEAR` in it becomes `year`. */
  readonly header?: string;
  readonly year?: string;
  /** Value of the annotation that says which generator wrote a CRD. */
  readonly versionAnnotation?: { readonly key: string; readonly value: string };
  /** Feature gates that are on: a field, rule or webhook behind another gate is left out. */
  readonly featureGates?: readonly string[];
  /** Treats a `readonly` property as immutable. */
  readonly readonlyImmutable?: boolean;
  /** Writes above each RBAC rule which markers asked for it. */
  readonly provenance?: boolean;
  /** Shortens descriptions of a CRD that is too large for `kubectl apply`, the deepest first. */
  readonly trimDescriptions?: boolean;
  /** Removes CRD files that no kind stands for any more. */
  readonly prune?: boolean;
}

/** The generators by name, as they are typed in `--only`. */
export type GeneratorName = "crd" | "rbac" | "webhook";
