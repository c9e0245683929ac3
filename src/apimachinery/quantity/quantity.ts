import type { Quantity } from "../json/index.ts";
import { addAmounts, compareAmounts, rescale, roundUp } from "./amount.ts";
import { formatAmount } from "./format-quantity.ts";
import { parseQuantity } from "./parse-quantity.ts";

/** Writes a quantity as the API server gives it back: `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. */
export function canonicalizeQuantity(quantity: Quantity): string {
  return formatAmount(parseQuantity(quantity));
}

/** The same with nothing smaller than a thousandth, as lists of resources have it: `100u` becomes `1m`. */
export function roundToThousandths(quantity: Quantity): string {
  const amount = parseQuantity(quantity);
  if (amount.scale >= -3) return formatAmount(amount);
  const { unscaled, scale, format } = roundUp(amount, -3);
  return formatAmount({ unscaled, scale, format });
}

/** Compares by value: `1` and `1000m` are equal. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return compareAmounts(parseQuantity(a), parseQuantity(b));
}

/** Adds exactly. The sum is written in the form of the first, or of the second if the first is zero. */
export function addQuantities(a: Quantity, b: Quantity): string {
  return formatAmount(addAmounts(parseQuantity(a), parseQuantity(b)));
}

/** Subtracts the second from the first, exactly. */
export function subtractQuantities(a: Quantity, b: Quantity): string {
  const { unscaled, scale, format } = parseQuantity(b);
  return formatAmount(addAmounts(parseQuantity(a), { unscaled: -unscaled, scale, format }));
}

/** The nearest number; exact up to 2^53 and for simple fractions. */
export function quantityToNumber(quantity: Quantity): number {
  const { unscaled, scale } = parseQuantity(quantity);
  return Number(`${unscaled}e${scale}`);
}

/** The whole number of units, rounded up: cores of `1500m` are 2. `unit: "m"` counts thousandths. */
export function quantityToInteger(quantity: Quantity, { unit = "" }: { unit?: "" | "m" } = {}): bigint {
  const scale = unit === "m" ? -3 : 0;
  return rescale(roundUp(parseQuantity(quantity), scale), scale);
}

/** Tells whether a quantity is a whole number of units. */
export function isWholeQuantity(quantity: Quantity): boolean {
  const { unscaled, scale } = parseQuantity(quantity);
  return scale >= 0 || unscaled % 10n ** BigInt(-scale) === 0n;
}

/** Tells whether Kubernetes can read a text as a quantity. */
export function isQuantity(value: unknown): value is Quantity {
  if (typeof value !== "string" && typeof value !== "number") return false;
  try {
    parseQuantity(value);
    return true;
  } catch {
    return false;
  }
}
