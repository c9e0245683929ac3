import { goFloat, goStruct, goValue, quote } from "../text/index.ts";

/** The reason of one field error, as `details.causes[].reason` carries it. */
export type FieldErrorReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** An error of one field; `body` is the message without the field, as in `causes[].message`. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** A path such as `spec.containers[0].name`; `<nil>` for the object itself. */
  readonly field: string;
  readonly badValue: unknown;
  readonly detail: string;
  /** `Invalid value: 0: spec.replicas in body should be …` */
  readonly body: string;
  /** The rule behind the error, or its position, if an update of an object that broke it before may still break it. */
  readonly rule?: string;
}

/** The error as a Status message shows it: `spec.replicas: Invalid value: 0: …`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.body}`;
}

/** A required value is missing. */
export function required(field: string, detail = ""): FieldError {
  return fieldError("FieldValueRequired", field, "", detail, "Required value");
}

/** A value is malformed. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError("FieldValueInvalid", field, value, detail, `Invalid value: ${goValue(value)}`);
}

/** An invalid number that the API server compares and prints as a float64. */
export function invalidFloat(field: string, value: number, detail: string): FieldError {
  return fieldError("FieldValueInvalid", field, value, detail, `Invalid value: ${goFloat(value)}`);
}

/** An invalid value that the API server prints as its Go struct. */
export function invalidStruct(field: string, value: object, detail: string): FieldError {
  return fieldError("FieldValueInvalid", field, value, detail, `Invalid value: ${goStruct(value)}`);
}

/** A value does not have the type of its schema. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError("FieldValueTypeInvalid", field, value, detail, `Invalid value: ${goValue(value)}`);
}

/** A value names something that does not exist. */
export function notFound(field: string, value: unknown, detail = ""): FieldError {
  return fieldError("FieldValueNotFound", field, value, detail, `Not found: ${goValue(value)}`);
}

/** A value occurs twice where values must be unique. */
export function duplicate(field: string, value: unknown): FieldError {
  return fieldError("FieldValueDuplicate", field, value, "", `Duplicate value: ${goValue(value)}`);
}

/** A value is not one of the supported ones. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(quote).join(", ")}`;
  return fieldError("FieldValueNotSupported", field, value, detail, `Unsupported value: ${goValue(value)}`);
}

/** A value is well-formed but not allowed here. */
export function forbidden(field: string, detail: string): FieldError {
  return fieldError("FieldValueForbidden", field, "", detail, "Forbidden");
}

/** A string is too long; the message says bytes even where characters are counted. */
export function tooLong(field: string, max: number): FieldError {
  const detail = `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`;
  return fieldError("FieldValueTooLong", field, "<value omitted>", detail, "Too long");
}

/** A list or map has too many entries. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? "item" : "items"}`;
  return fieldError("FieldValueTooMany", field, actual, detail, `Too many: ${actual}`);
}

/** An error that the user did not cause. */
export function internalError(field: string, detail: string): FieldError {
  return fieldError("InternalError", field, "", detail, "Internal error");
}

/** Returns the error without its value, which would be too big to show. */
export function omitted(error: FieldError, detail: string): FieldError {
  const { reason, field } = error;
  if (reason === "FieldValueDuplicate") return fieldError(reason, field, undefined, "", "Duplicate value");
  return fieldError(reason, field, undefined, detail, "Invalid value");
}

function fieldError(
  reason: FieldErrorReason,
  field: string,
  badValue: unknown,
  detail: string,
  prefix: string,
): FieldError {
  return { reason, field, badValue, detail, body: detail === "" ? prefix : `${prefix}: ${detail}` };
}

/** Names the rule behind errors: one that older releases did not have, so that stored objects may break it. */
export function* ruled(rule: string, errors: Iterable<FieldError>): Generator<FieldError, void> {
  for (const error of errors) yield { ...error, rule };
}

/** Joins a path and a field name: `spec` and `replicas` become `spec.replicas`. The object's own path is empty. */
export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
