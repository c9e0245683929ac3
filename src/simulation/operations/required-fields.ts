import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import type { FieldName } from "./draw-value.ts";

/** The schema that requires a field, too, wherever what holds it is there. */
export function requireField(schema: JSONSchema, field: FieldName): JSONSchema {
  return requireBelow(schema, field.split(/\.|(?=\[\])/), field);
}

function requireBelow(schema: JSONSchema, [name, ...inner]: readonly string[], field: FieldName): JSONSchema {
  if (name === undefined) return schema;
  const below = (one: JSONSchema | undefined): JSONSchema => {
    if (!one) throw new TypeError(`"always" names ${field}, which the schema doesn't have`);
    return requireBelow(one, inner, field);
  };
  if (name !== "[]") {
    const { properties = {}, required = [] } = schema;
    const changed = { ...schema, properties: { ...properties, [name]: below(properties[name]) } };
    return inner.length > 0 ? changed : { ...changed, required: [...required, name] };
  }
  const items = itemsOf(schema);
  return items
    ? { ...schema, items: below(items) }
    : { ...schema, additionalProperties: below(valuesOf(schema)) };
}
