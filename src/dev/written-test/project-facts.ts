/** What a written test has to know of the project that it is for. */
export interface ProjectFacts {
  /** The license header of a source file with an empty line after it; empty without a license. */
  readonly header: string;
  /** The kinds that the project defines, or takes from a third party. */
  readonly kinds: readonly KindFacts[];
  /** The functions that register the controllers. */
  readonly setups: readonly SetupFacts[];
  /** Whether the operator serves webhooks, which the test does without. */
  readonly hasWebhooks: boolean;
}

/** A kind with the module that exports it, as a test imports it. */
export interface KindFacts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly module: string;
  /** Whether the project defines it. */
  readonly isOwn: boolean;
}

/** A function that registers a controller, and the module that exports it, as a test imports it. */
export interface SetupFacts {
  readonly name: string;
  /** Its name in the entry point and in the test, where several have the same. */
  readonly local: string;
  readonly module: string;
}
