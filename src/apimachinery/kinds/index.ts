/**
 * The built-in kinds. `load-schemas.ts` loads the generated tables, `decode-built-in.ts` decodes objects as Go does;
 * `build` makes the tables from the facts in `build/facts`.
 */

export * from "./builtin-resources.ts";
export {
  decodeBuiltIn,
  type DecodedBuiltIn,
  DecodeError,
  explainBase64,
  markFloats,
} from "./decode-built-in.ts";
export { convertUnstructured } from "./convert-unstructured.ts";
export { type GoField, goFieldsOf } from "./go-fields.ts";
export * from "./load-schemas.ts";
export * from "./releases.ts";
export { type Lifetime, compareReleases, deprecationOf, isGateOn, lifetimeOf } from "./release-facts.ts";
export { definitionName, moduleOf } from "./type-names.ts";
export type { BuiltinSchema } from "./schema-graph.ts";
