import type { FieldError } from "../errors/index.ts";
import type { JSONSchema } from "./json-schema.ts";

/** An object without its unknown fields, and the sorted paths of the dropped fields. */
export interface Pruned<T> {
  readonly object: T;
  /** `spec.foo`, `spec.list[0].bar`: as in the errors of strict decoding and in `Warning` headers. */
  readonly unknown: string[];
  /** Why the object can't be decoded: metadata of an embedded resource has a wrong type (status 400). */
  readonly malformed?: FieldError;
}

/** The effect of nulls that mean "not set". */
export interface NullOptions {
  /** A server-side apply keeps them, and validation refuses them. */
  readonly keepNulls?: boolean;
}

/** Options of a validation. */
export interface ValidateOptions {
  /** The stored object: errors in unchanged subtrees are ignored (ratcheting). */
  readonly old?: unknown;
  /** The path of the value in its object, a prefix of every field: `status` for a status update. */
  readonly path?: string;
  /** Errors that were found elsewhere, and are reported before those of CEL rules. */
  readonly beforeRules?: readonly FieldError[];
  /** True if an error elsewhere in the object, such as a missing name, prevents the evaluation of CEL rules. */
  readonly blocked?: boolean;
  /** Embedded resources are checked. Default: true. */
  readonly embedded?: boolean;
  /** List types are checked. Default: true. */
  readonly listTypes?: boolean;
  /** Called for an error of a CEL rule that is ignored because its value is unchanged. */
  readonly onRatcheted?: (error: FieldError) => void;
}

/**
 * A structural schema, compiled once and applied many times.
 * No method modifies its argument: the result shares every unchanged subtree with the argument, and is the argument
 * itself if nothing changed. Frozen objects are fine.
 */
export interface CompiledSchema {
  readonly schema: JSONSchema;
  /** Drops unknown fields. The root's apiVersion, kind and metadata are always kept. */
  prune<T>(object: T, options?: NullOptions): Pruned<T>;
  /** Drops nulls of fields that are not nullable and have no default, then applies defaults, as on each write and read. */
  applyDefaults<T>(object: T, options?: NullOptions): T;
  /**
   * Validates an object as the API server does, except for CEL rules: OpenAPI value validation, then embedded
   * resources, then uniqueness in sets and list maps. The caller validates the metadata of the root.
   */
  validate(object: unknown, options?: ValidateOptions): FieldError[];
}
