import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";

/** What a version knows about the shape of its objects. */
export interface ObjectSchema {
  /** For pruning, defaulting and validating; undefined for built-in kinds, which have code for that. */
  readonly compiled?: CompiledSchema;
  /** For strategic merge and server-side apply. */
  readonly node: SchemaNode;
  /** The unknown fields of an object, as strict decoding names them. */
  unknownFields(object: unknown): readonly string[];
}
