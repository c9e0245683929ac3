/**
 * Structural schemas. Begin with `compile-schema.ts`, which compiles one for pruning, defaults and validation
 * (`compile-node.ts`, `embedded.ts`, `formats`); `structural` checks the schemas of a CRD itself.
 */

export { decodeMetadata, MalformedMetadataError } from "./decode-metadata.ts";
export { type CompiledSchema, compileSchema, type ValidateOptions } from "./compile-schema.ts";
export type { Pruned } from "./prune.ts";
export {
  itemsOf,
  type JSONSchema,
  nodesOf,
  type SchemaType,
  type ValidationRule,
  valuesOf,
} from "./json-schema.ts";
export { compilePattern, type Pattern, patternError } from "./pattern.ts";
export { unrecognizedFormats } from "./compile-node.ts";
export { parseRequestURI } from "./formats/go-url.ts";
export { type FieldPath, parseFieldPath } from "./field-path.ts";
export * from "./structural/check-open-api.ts";
export * from "./structural/check-structural.ts";
