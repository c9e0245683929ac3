export { type FieldTerm, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
export {
  formatLabelSelector,
  formatRequirements,
  matchesLabelSelector,
  matchesRequirements,
  type Operator,
  parseLabelSelector,
  type Requirement,
  toRequirements,
} from "./label-selector.ts";
