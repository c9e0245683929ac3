export { type FieldTerm, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
export * from "./label-selector.ts";
