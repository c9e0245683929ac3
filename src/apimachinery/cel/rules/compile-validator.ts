import { type FieldError, type FieldErrorReason, invalid } from "../../errors/index.ts";
import type { CompiledSchema, ValidateOptions } from "../../schema/compiled-schema.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { JSONSchema } from "../../schema/json-schema.ts";
import { compileRules } from "./compile-rules.ts";

/** Errors after which rules are not evaluated. */
const blocking: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * Compiles a schema with its rules, for the validation of writes on a server, or in unit tests without one.
 * `isResource`: the root is a whole object, not a status.
 */
export function compileValidator(schema: JSONSchema, { isResource = true } = {}): CompiledSchema {
  const compiled = compileSchema(schema);
  const rules = compileRules(schema, isResource);
  return {
    ...compiled,
    validate(object: unknown, options: ValidateOptions = {}): FieldError[] {
      const errors = compiled.validate(object, options);
      if (!rules) return errors;
      if (!options.blocked && !errors.some(({ reason }) => blocking.has(reason)))
        return [...errors, ...rules.validate(object, options)];
      const detail =
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
      return [...errors, invalid("<nil>", null, detail)];
    },
  };
}
