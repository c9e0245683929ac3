export { decodeMetadata, MalformedMetadataError } from "./embedded/decode-metadata.ts";
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
  invalidStruct,
  notFound,
  notSupported,
  omitted,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../errors/index.ts";
export { goJSON, goNumber, goValue, quote } from "../text/index.ts";
export { itemsOf, type JSONSchema, type SchemaType, type ValidationRule, valuesOf } from "./json-schema.ts";
export { compilePattern, type Pattern, patternError } from "./pattern.ts";
export { type FieldPath, parseFieldPath } from "./field-path.ts";
export {
  checkOpenAPI,
  checkRoot,
  type Findings,
  type NodeContext,
  type RuleContext,
} from "./structural/check-open-api.ts";
export { checkStructural, unsupportedKeyword } from "./structural/check-structural.ts";
export { checkDefaults, type CheckRules } from "./structural/check-defaults.ts";
