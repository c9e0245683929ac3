export type {
  BuiltinResource,
  BuiltinSubresource,
  PrinterColumn,
  RegistryRules,
  Verb,
} from "./builtin-resource.ts";
export { builtinResources, findKind, findResource } from "./builtin-resources.ts";
export { type DecodedBuiltIn, decodeBuiltIn } from "./decode-built-in.ts";
export { DecodeError, explainBase64 } from "./decode-scalar.ts";
export { markFloats } from "./written-float.ts";
export { convertUnstructured } from "./convert-unstructured.ts";
export { type FieldNumber, type FieldNumbers, loadFieldNumbers } from "./load-field-numbers.ts";
export { type GoField, goFieldsOf } from "./go-fields.ts";
export { loadSchemas, schemaModules } from "./load-schemas.ts";
export { definitionName, moduleOf } from "./module-name.ts";
export type { BuiltinSchema } from "./schema-node.ts";
export type { SchemaOptions, SchemaTable } from "./schema-table.ts";
