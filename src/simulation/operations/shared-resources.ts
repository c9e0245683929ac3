import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type FieldName, fieldBelow } from "@tsbuilder/apimachinery/sample";
import { isWithin } from "./places.ts";

/** Fields that ask for something of which a cluster has one: the second object that asks for it is rejected. */
const sharedFields = new Set([
  "clusterIP",
  "clusterIPs",
  "healthCheckNodePort",
  "hostPort",
  "loadBalancerIP",
  "nodePort",
]);

/** Returns a schema without the optional fields that objects would compete for, unless the test gives values for them. */
export function withoutSharedFields(
  schema: JSONSchema,
  values: Readonly<Record<FieldName, unknown>>,
  field: FieldName = "",
): JSONSchema {
  const { properties, required = [] } = schema;
  const isKept = (name: string): boolean => {
    const inner = fieldBelow(field, name);
    const isGiven = Object.keys(values).some((given) => isWithin(inner, given));
    return !sharedFields.has(name) || required.includes(name) || isGiven;
  };
  const below = (inner: JSONSchema): JSONSchema => withoutSharedFields(inner, values, fieldBelow(field));
  const items = itemsOf(schema);
  const entries = valuesOf(schema);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => isKept(name))
          .map(([name, one]) => [name, withoutSharedFields(one, values, fieldBelow(field, name))]),
      ),
    }),
    ...(items && { items: below(items) }),
    ...(entries && { additionalProperties: below(entries) }),
  };
}
