import type { BuiltinSchema } from "./schema-node.ts";

/** The schemas of types without fields, by their names in the tables. */
export const scalarSchemas: Readonly<Record<string, BuiltinSchema>> = Object.freeze({
  boolean: Object.freeze({ type: "boolean" }),
  byte: Object.freeze({ type: "string", format: "byte" }),
  double: Object.freeze({ type: "number", format: "double" }),
  int32: Object.freeze({ type: "integer", format: "int32" }),
  int64: Object.freeze({ type: "integer", format: "int64" }),
  string: Object.freeze({ type: "string" }),
  FieldsV1: Object.freeze({
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    typeName: "FieldsV1",
  }),
  IntOrString: Object.freeze({ "x-kubernetes-int-or-string": true, typeName: "IntOrString" }),
  JSON: any("JSON"),
  JSONSchemaPropsOrArray: any("JSONSchemaPropsOrArray"),
  JSONSchemaPropsOrBool: any("JSONSchemaPropsOrBool"),
  JSONSchemaPropsOrStringArray: any("JSONSchemaPropsOrStringArray"),
  MicroTime: Object.freeze({ type: "string", format: "date-time", typeName: "MicroTime" }),
  Quantity: Object.freeze({ "x-kubernetes-int-or-string": true, typeName: "Quantity" }),
  RawExtension: Object.freeze({
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    typeName: "RawExtension",
  }),
  Time: Object.freeze({ type: "string", format: "date-time", typeName: "Time" }),
});

function any(typeName: string): BuiltinSchema {
  return Object.freeze({ "x-kubernetes-preserve-unknown-fields": true, typeName });
}
