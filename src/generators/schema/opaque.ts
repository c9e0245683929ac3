import { refKey, type Schema } from "./schema.ts";

/** The keys that restrict values, apart from their structure. */
const constraints = [
  "allOf",
  "enum",
  "maximum",
  "minimum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "multipleOf",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxProperties",
  "minProperties",
  "x-kubernetes-validations",
] as const;

/**
 * Keeps the structure of a schema without its rules and defaults. The fields in `listMapKeys` keep their defaults: a
 * key must be required or have a default, or the API server rejects the CRD.
 */
export function withoutConstraints(schema: Schema, listMapKeys: readonly string[] = []): Schema {
  const bare: Schema = { ...schema, default: undefined };
  for (const key of constraints) bare[key] = undefined;
  if (bare[refKey]) bare[refKey] = withoutConstraints(bare[refKey], listMapKeys);
  if (bare.items) bare.items = withoutConstraints(bare.items, schema["x-kubernetes-list-map-keys"]);
  if (typeof bare.additionalProperties === "object") {
    bare.additionalProperties = withoutConstraints(bare.additionalProperties);
  }
  if (bare.properties) {
    const properties = Object.entries(bare.properties).map(([name, property]): [string, Schema] => {
      const inner = withoutConstraints(property);
      return [name, listMapKeys.includes(name) ? { ...inner, default: property.default } : inner];
    });
    bare.properties = Object.fromEntries(properties);
  }
  return bare;
}
