import type { BuiltinSchema, SchemaTable } from "@tsbuilder/apimachinery/kinds";

/** Any loaded table: it finds the types of all loaded ones by their full names. */
let tables: SchemaTable | undefined;

const valuesByField = new Map<string, readonly string[]>();

/**
 * Returns the values of a field by its type and name, such as `core/v1.ServicePort.protocol`, in the order of messages; of a
 * list or map those of its items. The tables have them from Kubernetes' OpenAPI documents. Rules have lists of their own only
 * where a message has another order, or where a feature gate that is off by default takes values away.
 */
export function knownValues(field: string): readonly string[] {
  const known = valuesByField.get(field);
  if (known) return known;
  const dot = field.lastIndexOf(".");
  const schema = namedSchema(field.slice(0, dot))?.properties?.[field.slice(dot + 1)];
  const values = (schema?.items ?? schema?.additionalProperties ?? schema)?.enum;
  if (!values) throw new Error(`the loaded tables have no values of ${field}`);
  valuesByField.set(field, values);
  return values;
}

/** Returns the schema of a type by its full name, if its table is loaded. */
export function namedSchema(typeName: string): BuiltinSchema | undefined {
  return tables?.named(typeName);
}

/**
 * Gives the rules of kinds access to the generated tables, which are loaded asynchronously, before the first write of a
 * resource. Loading one twice does no harm: there is one set of tables in a process.
 */
export function provideTables(loaded: SchemaTable): void {
  tables ??= loaded;
}
