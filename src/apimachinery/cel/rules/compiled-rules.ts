import type { FieldError } from "../../errors/index.ts";

/** Options of a validation. */
export interface RuleOptions {
  /** The stored object: required by transition rules; other rules ignore unchanged values (ratcheting). */
  readonly old?: unknown;
  /** The path of the value in its object, a prefix of every field. */
  readonly path?: string;
  /** The cost limit of all rules together. */
  readonly budget?: number;
  /** Called for an error that is ignored because its value is unchanged; an API server warns of it. */
  readonly onRatcheted?: (error: FieldError) => void;
}

/** The compiled rules of a schema, at all levels. */
export interface CompiledRules {
  /** Evaluates the rules for an object that matches its schema. */
  validate(object: unknown, options?: RuleOptions): FieldError[];
}
