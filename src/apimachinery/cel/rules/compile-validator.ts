import { type FieldError, type FieldErrorReason, invalid } from "../../errors/index.ts";
import { type CompiledSchema, type ValidateOptions, compileSchema } from "../../schema/compile-schema.ts";
import type { JSONSchema } from "../../schema/json-schema.ts";
import { splitWords } from "../../text/text.ts";
import { compileRules } from "./compile-rules.ts";

/** A schema with its rules. */
export interface Validator extends CompiledSchema {
  /** Validates a write of the status: the schema of the status, and the rules of the whole object. */
  validateStatus(
    object: Readonly<Record<string, unknown>>,
    old: object,
    options?: Pick<ValidateOptions, "beforeRules" | "onRatcheted">,
  ): FieldError[];
}

/** The reasons of errors after which rules are not evaluated. */
const blockingReasons: ReadonlySet<FieldErrorReason> = new Set(
  splitWords(
    "FieldValueNotSupported FieldValueRequired FieldValueTooLong FieldValueTooMany FieldValueTypeInvalid",
  ),
);

/** Compiles a schema with its rules, for the validation of writes on a server, or in unit tests without one. */
export function compileValidator(schema: JSONSchema): Validator {
  const compiled = compileSchema(schema);
  const rules = compileRules(schema);
  const statusSchema = schema.properties?.["status"];
  const status = statusSchema && compileSchema(statusSchema);
  const withRules = (schemaErrors: FieldError[], object: unknown, options: ValidateOptions): FieldError[] => {
    const errors = [...schemaErrors, ...(options.beforeRules ?? [])];
    if (!rules) return errors;
    if (!options.blocked && !errors.some(({ reason }) => blockingReasons.has(reason)))
      return [...errors, ...rules.validate(object, options)];
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [...errors, invalid("<nil>", null, detail)];
  };
  return {
    ...compiled,
    validate: (object: unknown, options: ValidateOptions = {}) =>
      withRules(compiled.validate(object, options), object, options),
    validateStatus(object, old, options = {}) {
      // A real server does not look at embedded resources when it writes a status.
      const statusOptions = { old: (old as { status?: unknown }).status, path: "status", embedded: false };
      const isSet = status !== undefined && object["status"] !== undefined;
      const errors = isSet ? status.validate(object["status"], statusOptions) : [];
      return withRules(errors, object, { ...options, old });
    },
  };
}
