import { isObject } from "@tsbuilder/apimachinery/json";
import { type BuiltinSchema, decodeBuiltIn, loadSchemas } from "@tsbuilder/apimachinery/kinds";

/**
 * Decodes a CRD as an API server does, with the schemas in it. Throws a DecodeError for a value of a wrong type, and a
 * RangeError for schemas that are nested too deeply.
 */
export async function decodeCrd(object: Record<string, unknown>): Promise<Record<string, unknown>> {
  const table = (await loadSchemas("apiextensions/v1"))!;
  const crd = decodeBuiltIn(object, table.get("CustomResourceDefinition")!).object;
  const { spec } = crd as { spec?: { versions?: readonly { schema?: { openAPIV3Schema?: unknown } }[] } };
  const node = table.get("JSONSchemaProps")!;
  for (const { schema } of spec?.versions ?? []) decodeInner(schema?.openAPIV3Schema, node);
  return crd;
}

/** The tables do not tell schemas from other fields in list elements and map values. */
function decodeInner(value: unknown, node: BuiltinSchema): void {
  if (!isObject(value)) return;
  for (const key of ["items", "additionalProperties"]) {
    if (!isObject(value[key])) continue;
    value[key] = decodeBuiltIn(value[key], node).object;
  }
  for (const key of ["items", "additionalProperties", "not"]) decodeInner(value[key], node);
  for (const key of ["properties", "allOf", "anyOf", "oneOf"]) {
    for (const inner of Object.values(value[key] ?? {})) decodeInner(inner, node);
  }
}
