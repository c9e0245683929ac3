/**
 * The built-in kinds. `load-schemas.ts` loads the generated tables, `decode-built-in.ts` decodes objects as Go does;
 * `build` makes the tables from npm packages and facts in `build/overlay`.
 */

export type {
  BuiltinResource,
  BuiltinSubresource,
  PrinterColumn,
  RegistryRules,
  Verb,
} from "./builtin-resources.ts";
export { builtinResources, findKind, findResource } from "./builtin-resources.ts";
export { decodeBuiltIn, type DecodedBuiltIn } from "./decode-built-in.ts";
export { DecodeError, explainBase64, markFloats } from "./decode-built-in.ts";
export { convertUnstructured } from "./convert-unstructured.ts";
export { type FieldNumber, type FieldNumbers, loadFieldNumbers } from "./load-schemas.ts";
export { type GoField, goFieldsOf } from "./go-fields.ts";
export { loadSchemas, schemaModules, type SchemaOptions, type SchemaTable } from "./load-schemas.ts";
export { definitionName, moduleOf } from "./type-names.ts";
export type { BuiltinSchema } from "./schema-graph.ts";
