import type { Quantity } from "../json/index.ts";
import { addAmounts, compareAmounts, maxShift, rescale, roundUp } from "./amount.ts";
import { formatAmount } from "./format-quantity.ts";
import { parseQuantity } from "./parse-quantity.ts";

/** Formats a quantity as the API server returns it: `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. */
export function canonicalizeQuantity(quantity: Quantity): string {
  return formatAmount(parseQuantity(quantity));
}

/** The same, rounded up to thousandths, as in resource lists: `100u` becomes `1m`. */
export function roundToThousandths(quantity: Quantity): string {
  const amount = parseQuantity(quantity);
  if (amount.scale >= -3) return formatAmount(amount);
  const { unscaled, scale, format } = roundUp(amount, -3);
  return formatAmount({ unscaled, scale, format });
}

/** Compares two quantities by value: `1` and `1000m` are equal. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return compareAmounts(parseQuantity(a), parseQuantity(b));
}

/**
 * Adds exactly, unless the quantities are more than 10,000 powers of ten apart: the smaller one is then dropped. The sum
 * has the format of the first quantity, or of the second if the first is zero.
 */
export function addQuantities(a: Quantity, b: Quantity): string {
  return formatAmount(addAmounts(parseQuantity(a), parseQuantity(b)));
}

/** Subtracts the second from the first, as exactly as `addQuantities` adds. */
export function subtractQuantities(a: Quantity, b: Quantity): string {
  const { unscaled, scale, format } = parseQuantity(b);
  return formatAmount(addAmounts(parseQuantity(a), { unscaled: -unscaled, scale, format }));
}

/** Converts a quantity to the nearest number; exact up to 2^53 and for simple fractions. */
export function quantityToNumber(quantity: Quantity): number {
  const { unscaled, scale } = parseQuantity(quantity);
  return Number(`${unscaled}e${scale}`);
}

/** Converts a quantity to an integer, rounded up: `1500m` becomes 2. `unit: "m"` counts thousandths. Exponents end at 10,000. */
export function quantityToInteger(quantity: Quantity, { unit = "" }: { unit?: "" | "m" } = {}): bigint {
  const to = unit === "m" ? -3 : 0;
  const { scale, ...rounded } = roundUp(parseQuantity(quantity), to);
  return rescale({ ...rounded, scale: Math.min(scale, maxShift) }, to);
}

/** Returns true if a quantity is an integer. */
export function isWholeQuantity(quantity: Quantity): boolean {
  const { unscaled, scale } = parseQuantity(quantity);
  return scale >= 0 || unscaled % 10n ** BigInt(-scale) === 0n;
}

/** Returns true if Kubernetes accepts a value as a quantity. */
export function isQuantity(value: unknown): value is Quantity {
  if (typeof value !== "string" && typeof value !== "number") return false;
  try {
    parseQuantity(value);
    return true;
  } catch {
    return false;
  }
}
