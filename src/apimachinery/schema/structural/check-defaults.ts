import { type FieldError, invalid } from "../../errors/index.ts";
import { hasDefault } from "../apply-defaults.ts";
import { compileSchema } from "../compile-schema.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";
import { prune } from "../prune.ts";
import { shapeOf } from "../shape.ts";

/** Checks a default against the CEL rules of its node: once as an unchanged value, once as a new one. */
export type CheckRules = (schema: JSONSchema, value: unknown, path: string) => FieldError[];

/**
 * Checks that every default matches its own schema: it is valid, and nothing in it would be pruned.
 * Skips defaults of map values, which are not allowed anyway.
 */
export function checkDefaults(schema: JSONSchema, path: string, checkRules?: CheckRules): FieldError[] {
  const errors: FieldError[] = [];
  collectErrors(schema, path, checkRules, errors);
  return errors;
}

function collectErrors(
  schema: JSONSchema,
  path: string,
  checkRules: CheckRules | undefined,
  errors: FieldError[],
): void {
  if (hasDefault(schema)) errors.push(...checkDefault(schema, `${path}.default`, checkRules));
  const items = itemsOf(schema);
  if (items) collectErrors(items, `${path}.items`, checkRules, errors);
  if (!schema.properties) return;
  for (const [name, child] of Object.entries(schema.properties)) {
    collectErrors(child, `${path}.properties[${name}]`, checkRules, errors);
  }
}

function checkDefault(schema: JSONSchema, path: string, checkRules: CheckRules | undefined): FieldError[] {
  const { default: value } = schema;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  if (prune(value, shapeOf(schema), embedded).object !== value) {
    errors.push(invalid(path, value, "must not have unknown fields"));
  }
  const { default: _, ...node } = schema;
  const invalidities = compileSchema(node).validate(value, { path, listTypes: false });
  if (invalidities.length > 0) return [...errors, ...invalidities];
  return [...errors, ...(checkRules?.(schema, value, path) ?? [])];
}
