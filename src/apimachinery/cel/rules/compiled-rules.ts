import type { FieldError } from "../../errors/index.ts";

/** What a validation is told besides the object. */
export interface RuleOptions {
  /** The stored object. Rules that read `oldSelf` only run with one; others forgive what did not change. */
  readonly old?: unknown;
  /** Where the value stands in its object, in front of every field. */
  readonly path?: string;
  /** What all rules together may cost. */
  readonly budget?: number;
}

/** The rules of a schema at all its levels, compiled once. */
export interface CompiledRules {
  /** Runs the rules over an object that is valid otherwise. */
  validate(object: unknown, options?: RuleOptions): FieldError[];
}
