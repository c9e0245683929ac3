import type { FieldError } from "../errors/index.ts";
import { compileDefaults, dropNulls, hasNull } from "./apply-defaults.ts";
import type { CompiledSchema, Pruned, ValidateOptions } from "./compiled-schema.ts";
import { checkEmbedded, hasEmbedded } from "./embedded/check-embedded.ts";
import { coerceEmbedded } from "./embedded/coerce-embedded.ts";
import type { JSONSchema } from "./json-schema.ts";
import { compileListTypes } from "./list-types.ts";
import { isUnchanged } from "./is-unchanged.ts";
import { prune } from "./prune.ts";
import { shapeOf } from "./shape.ts";
import { compileNode } from "./validate/compile-node.ts";
import { Run } from "./validate/run.ts";

/**
 * Compiles a structural schema. This takes well under a millisecond for a schema of 50 KB, fast enough for the creation
 * of a CRD; cache the result as long as the schema is in use.
 */
export function compileSchema(schema: JSONSchema): CompiledSchema {
  const check = compileNode(schema);
  const applyDefaults = compileDefaults(schema);
  const embeds = hasEmbedded(schema);
  const shape = shapeOf(schema);
  const checkListTypes = compileListTypes(shape);

  return {
    schema,
    prune: (object, { keepNulls = false } = {}) =>
      embeds && !(keepNulls && hasNull(object)) ? pruneEmbedding(object) : prune(object, shape, true),
    applyDefaults: <T>(object: T, { keepNulls = false } = {}) =>
      applyDefaults(!keepNulls && hasNull(object) ? dropNulls(object, schema) : object) as T,
    validate(object, options = {}) {
      const prefix = options.path ?? "";
      const errors = validateValues(object, options);
      if (embeds && options.embedded !== false) errors.push(...checkEmbedded(object, schema, prefix));
      // A stored list that violates a later list type must not block every update.
      const duplicates = (options.listTypes !== false && checkListTypes?.(object, prefix)) || [];
      if (duplicates.length === 0 || isRatcheted(options.old, prefix)) return errors;
      return [...errors, ...duplicates];
    },
  };

  function pruneEmbedding<T>(object: T): Pruned<T> {
    const pruned = prune(object, shape, true);
    // Nulls that mean "not set" are dropped before types and metadata are checked.
    const set = hasNull(pruned.object) ? dropNulls(pruned.object, schema) : pruned.object;
    const coerced = coerceEmbedded(set, shape);
    const unknown = [...pruned.unknown, ...coerced.unknown].sort();
    return {
      object: coerced.object as T,
      unknown,
      ...(coerced.malformed ? { malformed: coerced.malformed } : {}),
    };
  }

  function validateValues(object: unknown, { path, old }: ValidateOptions): FieldError[] {
    const prefix = path === undefined ? {} : { prefix: path };
    const run = new Run(prefix);
    check(object, run);
    if (run.errors.length === 0 || old === undefined) return unique(run.errors);
    const again = new Run({ ...prefix, old });
    check(object, again);
    return again.errors.length > 0 && isUnchanged(schema, object, old) ? [] : unique(again.errors);
  }

  function isRatcheted(old: unknown, path: string): boolean {
    return old !== undefined && checkListTypes!(old, path).length > 0;
  }
}

/** Branches of `anyOf` and `allOf` may report the same error several times. */
function unique(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors;
  const seen = new Set<string>();
  return errors.filter(({ field, body }) => {
    const text = `${field} ${body}`;
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
