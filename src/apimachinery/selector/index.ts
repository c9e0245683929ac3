export { type FieldTerm, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
export { formatLabelSelector, matchesLabelSelector, toRequirements } from "./label-selector.ts";
export { parseLabelSelector } from "./label-selector.ts";
export {
  formatRequirements,
  matchesRequirements,
  type Operator,
  type Requirement,
} from "./label-selector.ts";
