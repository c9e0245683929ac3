export { type Amount, addAmounts, compareAmounts, type QuantityFormat } from "./amount.ts";
export { formatAmount } from "./format-quantity.ts";
export { parseQuantity } from "./parse-quantity.ts";
export {
  addQuantities,
  canonicalizeQuantity,
  compareQuantities,
  isQuantity,
  isWholeQuantity,
  quantityToInteger,
  quantityToNumber,
  roundToThousandths,
  subtractQuantities,
} from "./quantity.ts";
