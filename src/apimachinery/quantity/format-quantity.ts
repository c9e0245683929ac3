import { type Amount, compareAmounts, roundUp, rescale } from "./amount.ts";
import { writeBinarySuffix, writeDecimalSuffix } from "./suffixes.ts";

/** Formats an amount as the API server does, with the largest suffix that leaves an integer. */
export function formatAmount(amount: Amount): string {
  return amount.text ?? canonicalText(amount);
}

function canonicalText(amount: Amount): string {
  if (amount.unscaled === 0n) return "0";
  return isBinary(amount) ? binaryText(toInteger(amount)) : decimalText(amount);
}

/** Small numbers and fractions get decimal suffixes even if they were written with binary ones. */
function isBinary({ format, unscaled, scale }: Amount): boolean {
  if (format !== "BinarySI") return false;
  const size = { unscaled: unscaled < 0n ? -unscaled : unscaled, scale, format };
  if (compareAmounts(size, { unscaled: 1024n, scale: 0, format }) < 0) return false;
  return scale >= 0 || unscaled % 10n ** BigInt(-scale) === 0n;
}

function toInteger(amount: Amount): bigint {
  return rescale(roundUp(amount, 0), 0);
}

function binaryText(value: bigint): string {
  let [rest, power] = [value, 0];
  while (rest % 1024n === 0n) [rest, power] = [rest / 1024n, power + 1];
  return `${rest}${writeBinarySuffix(power)}`;
}

function decimalText({ unscaled, scale, format }: Amount): string {
  const digits = String(unscaled);
  const zeros = digits.length - digits.replace(/0+$/u, "").length;
  const exponent = Math.floor((scale + zeros) / 3) * 3;
  const mantissa = digits.slice(0, digits.length - zeros) + "0".repeat(scale + zeros - exponent);
  return mantissa + writeDecimalSuffix(exponent, format === "BinarySI" ? "DecimalSI" : format);
}
