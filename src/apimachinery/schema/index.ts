export { compileSchema } from "./compile-schema.ts";
export type { CompiledSchema, Pruned, ValidateOptions } from "./compiled-schema.ts";
export {
  duplicate,
  type FieldError,
  type FieldErrorReason,
  forbidden,
  formatFieldError,
  internalError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "./field-error.ts";
export { goJSON, goNumber, goValue, quote } from "./go-text.ts";
export { itemsOf, type JSONSchema, type SchemaType, type ValidationRule, valuesOf } from "./json-schema.ts";
export { compilePattern, type Pattern, patternError } from "./pattern.ts";
