import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";

/** The schemas of the objects of one version. */
export interface ObjectSchema {
  /** For pruning, defaults and validation; undefined for built-in kinds, which have code for these. */
  readonly compiled?: CompiledSchema;
  /** For strategic merge patch and server-side apply. */
  readonly node: SchemaNode;
  /** Returns the paths of unknown fields, as strict decoding reports them. */
  unknownFields(object: unknown): readonly string[];
  /** Converts a merged object to its kind, or says in the words of the real server why it can't; only for built-in kinds. */
  convertMerged?(object: object): string | undefined;
}
