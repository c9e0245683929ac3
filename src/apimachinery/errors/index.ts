export {
  duplicate,
  type FieldError,
  type FieldErrorReason,
  forbidden,
  formatFieldError,
  internalError,
  invalid,
  invalidFloat,
  invalidStruct,
  notFound,
  notSupported,
  omitted,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "./field-error.ts";
export { joinPath } from "./join-path.ts";
