import type { FieldError } from "../errors/index.ts";
import type { JSONSchema } from "./json-schema.ts";

/** An object without its unknown fields, and the paths of what was dropped, sorted. */
export interface Pruned<T> {
  readonly object: T;
  /** `spec.foo`, `spec.list[0].bar`: what strict decoding and `Warning` headers name. */
  readonly unknown: string[];
  /** What makes the object undecodable: an embedded resource whose metadata is of wrong types (status 400). */
  readonly malformed?: FieldError;
}

/** What a validation is told besides the object. */
export interface ValidateOptions {
  /** The stored object: errors in subtrees that equal theirs are forgiven (ratcheting). */
  readonly old?: unknown;
  /** Where the value stands in its object, in front of every field: `status` for a status update. */
  readonly path?: string;
}

/**
 * A structural schema, compiled once and applied many times.
 * No method changes what it is given: the result shares every unchanged subtree with the argument,
 * and is the argument itself when nothing changed. Frozen objects are fine.
 */
export interface CompiledSchema {
  readonly schema: JSONSchema;
  /** Drops fields that the schema doesn't know. The root's apiVersion, kind and metadata always stay. */
  prune<T>(object: T): Pruned<T>;
  /** Drops nulls that are neither nullable nor defaulted, then fills in defaults: what a server does on write and read. */
  applyDefaults<T>(object: T): T;
  /**
   * Checks an object as the API server does, CEL apart: OpenAPI value validation, then embedded
   * resources, then the uniqueness of sets and list maps. Object metadata of the root is the caller's.
   */
  validate(object: unknown, options?: ValidateOptions): FieldError[];
}
