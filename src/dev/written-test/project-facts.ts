/** The facts about a project that a written test needs. */
export interface ProjectFacts {
  /** The license header of a source file with an empty line after it; empty without a license. */
  readonly header: string;
  /** The kinds that the project defines, or takes from a third party. */
  readonly kinds: readonly KindFacts[];
  /** The functions that register the controllers. */
  readonly setups: readonly SetupFacts[];
  /** True if the operator serves webhooks, which the test does not call. */
  readonly hasWebhooks: boolean;
}

/** A kind with the module that exports it, as a test imports it. */
export interface KindFacts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly module: string;
  /** True if the project defines the kind. */
  readonly isOwn: boolean;
}

/** A function that registers a controller, and the module that exports it, as a test imports it. */
export interface SetupFacts {
  readonly name: string;
  /** The name by which entry point and test import it: another one, if two functions have the same name. */
  readonly local: string;
  readonly module: string;
}
