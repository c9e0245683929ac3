import { type FieldError, forbidden, invalid } from "../../errors/index.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";
import { patternError } from "../pattern.ts";

/** Checks a branch of `allOf`, `anyOf`, `oneOf` or `not`, which may have value validations only. */
export function checkNested(
  schema: JSONSchema,
  path: string,
  errors: FieldError[],
  { skipAnyOf = false } = {},
): void {
  if (!skipAnyOf) {
    schema.anyOf?.forEach((branch, index) => checkNested(branch, `${path}.anyOf[${index}]`, errors));
  }
  schema.allOf?.forEach((branch, index) => checkNested(branch, `${path}.allOf[${index}]`, errors));
  schema.oneOf?.forEach((branch, index) => checkNested(branch, `${path}.oneOf[${index}]`, errors));
  if (schema.not) checkNested(schema.not, `${path}.not`, errors);
  checkPattern(schema, path, errors);

  const items = itemsOf(schema);
  if (items) checkNested(items, `${path}.items`, errors);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    checkNested(child, `${path}.properties[${name}]`, errors);
  }
  for (const [name, demand] of Object.entries(describing)) {
    if (isSet(schema[name as keyof JSONSchema]))
      errors.push(forbidden(`${path}.${name}`, `${demand} to be structural`));
  }
  if (schema.properties && Object.hasOwn(schema.properties, "metadata")) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

/** Checks that a pattern is a valid regular expression. */
export function checkPattern(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const { pattern } = schema;
  if (pattern === undefined || pattern === "") return;
  const error = patternError(pattern);
  if (error === undefined) return;
  const detail = `must be a valid regular expression, but isn't: error parsing regexp: ${error}`;
  errors.push(invalid(`${path}.pattern`, pattern, detail));
}

const describing: Readonly<Record<string, string>> = {
  type: "must be empty",
  additionalProperties: "must be undefined",
  default: "must be undefined",
  title: "must be empty",
  description: "must be empty",
  nullable: "must be false",
  "x-kubernetes-preserve-unknown-fields": "must be false",
  "x-kubernetes-embedded-resource": "must be false",
  "x-kubernetes-int-or-string": "must be false",
  "x-kubernetes-list-map-keys": "must be empty",
  "x-kubernetes-list-type": "must be undefined",
  "x-kubernetes-map-type": "must be undefined",
  "x-kubernetes-validations": "must be empty",
};

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== "" && value !== null;
}
