import type { Quantity } from "../json/index.ts";

/** Formats a quantity as the API server returns it: `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. */
export function canonicalizeQuantity(quantity: Quantity): string {
  return formatAmount(parseQuantity(quantity));
}

/** Formats a quantity in canonical form, rounded up to thousandths, as in resource lists: `100u` becomes `1m`. */
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

/** More digits than any real quantity has; multiplying more would take seconds. */
const maxShift = 10_000;

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

/** Formats an amount as the API server does, with the largest suffix that leaves an integer. */
export function formatAmount(amount: Amount): string {
  if (amount.text !== undefined) return amount.text;
  if (amount.unscaled === 0n) return "0";
  return isBinary(amount) ? binaryText(rescale(roundUp(amount, 0), 0)) : decimalText(amount);
}

/** Small numbers and fractions get decimal suffixes even if they were written with binary ones. */
function isBinary({ format, unscaled, scale }: Amount): boolean {
  if (format !== "BinarySI") return false;
  const size = { unscaled: unscaled < 0n ? -unscaled : unscaled, scale, format };
  if (compareAmounts(size, { unscaled: 1024n, scale: 0, format }) < 0) return false;
  return scale >= 0 || unscaled % 10n ** BigInt(-scale) === 0n;
}

const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

function binaryText(value: bigint): string {
  let [rest, power] = [value, 0];
  while (rest % 1024n === 0n) [rest, power] = [rest / 1024n, power + 1];
  return `${rest}${binarySuffixes[power] ?? ""}`;
}

function decimalText({ unscaled, scale, format }: Amount): string {
  const digits = String(unscaled);
  const zeros = digits.length - digits.replace(/0+$/u, "").length;
  const exponent = Math.floor((scale + zeros) / 3) * 3;
  const mantissa = digits.slice(0, digits.length - zeros) + "0".repeat(scale + zeros - exponent);
  return mantissa + writeDecimalSuffix(exponent, format === "BinarySI" ? "DecimalSI" : format);
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/** Formats a power of ten that is a multiple of three; empty if no suffix fits, as in Kubernetes. */
function writeDecimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  return decimalSuffixes[exponent / 3 + 3] ?? "";
}

/** Leading zeros, digits, fraction, suffix. A sign or a point without digits is zero. */
const quantityPattern = /^([+-])?(0*)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/u;

/**
 * Parses a quantity as Kubernetes does: digits below nano are rounded up, binary quantities are capped at 2^63-1.
 * @throws TypeError with the API server's message
 */
export function parseQuantity(quantity: Quantity): Amount {
  const text = String(quantity);
  const match = text === "" ? null : quantityPattern.exec(text);
  if (!match) {
    throw new TypeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign, zeros = "", digits = "", fraction = "", suffix = ""] = match;
  const multiplier = readSuffix(suffix);
  if (!multiplier) throw new TypeError("unable to parse quantity's suffix");
  if (zeros + digits + fraction === "" && !usesFastPath(multiplier)) {
    throw new TypeError("unable to parse numeric part of quantity");
  }
  const amount = toAmount(digits + fraction, fraction.length, multiplier);
  const signed = sign === "-" ? { ...amount, unscaled: -amount.unscaled } : amount;
  return keepsText(digits, fraction, multiplier) && text !== "0" ? { ...signed, text } : signed;
}

/** The scale of the smallest digit. */
const nano = -9;
const maxInt64 = (1n << 63n) - 1n;

/** The multiplier of a suffix: `base ** exponent`. */
interface Multiplier {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function toAmount(digits: string, fraction: number, { base, exponent, format }: Multiplier): Amount {
  const value = BigInt(digits || 0);
  if (base === 10) return roundUp({ unscaled: value, scale: exponent - fraction, format }, nano);
  const scaled = { unscaled: value << BigInt(exponent), scale: -fraction, format };
  const amount = roundUp(scaled, nano);
  const whole = roundUp(amount, 0);
  if (whole.unscaled > maxInt64) return { unscaled: maxInt64, scale: 0, format };
  // There is no binary format below one.
  return amount.scale < 0 && amount.unscaled > 0n && amount.unscaled < 10n ** BigInt(-amount.scale)
    ? { ...amount, format: "DecimalSI" }
    : amount;
}

/** Returns true for Kubernetes' fast path for small numbers, which accepts a quantity without digits. */
function usesFastPath({ base, exponent }: Multiplier): boolean {
  return base === 10 ? exponent >= nano : exponent < 50;
}

/**
 * Kubernetes stores the text of most quantities that look canonical and returns it unchanged: `1.500` stays. To look
 * canonical takes few digits, an exponent that is a multiple of three, and no three zeros at the end.
 */
function keepsText(digits: string, fraction: string, { exponent, format }: Multiplier): boolean {
  const whole = digits === "" ? "0" : digits;
  if (format === "BinarySI") {
    const hasRoom = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
    return fraction === "" && hasRoom && (BigInt(whole) & 7n) !== 0n;
  }
  const shifted = whole + fraction;
  const scale = exponent - fraction.length;
  const isShort = 18 - shifted.length >= 0;
  return isShort && scale >= nano && scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
}

/** Parses a suffix; returns `undefined` for an unknown one. `E` alone is exa, followed by digits it is an exponent. */
function readSuffix(suffix: string): Multiplier | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) return { base: 10, exponent: (decimal - 3) * 3, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary !== -1) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  const exponent = /^[eE]([+-]?\d+)$/u.exec(suffix)?.[1];
  // Kubernetes parses exponents as 32-bit integers, which wrap around.
  if (exponent === undefined || Math.abs(Number(exponent)) > 2 ** 31 - 1) return undefined;
  return { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

/** The format of a quantity: suffixes for powers of 1000 or of 1024, or an exponent (`12e6`). */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact decimal number, `unscaled * 10 ** scale`, and the format it was written in. */
export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The original text, if Kubernetes returns that instead of the canonical form. */
  readonly text?: string;
}

/** Compares by value: -1, 0 or 1. */
export function compareAmounts(a: Amount, b: Amount): -1 | 0 | 1 {
  const signs = [signOf(a.unscaled), signOf(b.unscaled)] as const;
  if (signs[0] !== signs[1] || signs[0] === 0) return signOf(signs[0] - signs[1]);
  // Compare the number of digits first: the full value of `1e999999999` wouldn't fit into memory.
  const lengths = [countDigits(a) + a.scale, countDigits(b) + b.scale] as const;
  if (lengths[0] !== lengths[1]) return signOf((lengths[0] - lengths[1]) * signs[0]);
  const scale = Math.min(a.scale, b.scale);
  return signOf(rescale(a, scale) - rescale(b, scale));
}

/**
 * Adds two amounts; the sum has the format of the first, or of the second if the first is zero. The sum of two amounts
 * that are too many powers of ten apart is the larger one: all digits would not fit into memory.
 */
export function addAmounts(a: Amount, b: Amount): Amount {
  const format = a.unscaled === 0n ? b.format : a.format;
  if (b.unscaled === 0n) return { unscaled: a.unscaled, scale: a.scale, format };
  if (a.unscaled === 0n) return { unscaled: b.unscaled, scale: b.scale, format };
  const difference = countDigits(a) + a.scale - countDigits(b) - b.scale;
  if (Math.abs(difference) > maxShift) {
    const { text: _text, ...larger } = difference < 0 ? b : a;
    return larger;
  }
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescale(a, scale) + rescale(b, scale), scale, format };
}

/** Rounds to a power of ten, away from zero: a small amount never becomes zero. */
function roundUp(amount: Amount, scale: number): Amount {
  if (amount.scale >= scale || amount.unscaled === 0n) return amount;
  const sign = BigInt(signOf(amount.unscaled));
  const drop = scale - amount.scale;
  // All digits are below the power of ten: the result doesn't depend on their value.
  if (drop > countDigits(amount)) return { ...amount, unscaled: sign, scale };
  const divisor = 10n ** BigInt(drop);
  const quotient = amount.unscaled / divisor;
  const isExact = amount.unscaled % divisor === 0n;
  return { ...amount, unscaled: isExact ? quotient : quotient + sign, scale };
}

/** Returns the unscaled integer of an amount at a lower or equal power of ten. */
function rescale({ unscaled, scale }: Amount, to: number): bigint {
  return unscaled * 10n ** BigInt(scale - to);
}

function countDigits({ unscaled }: Amount): number {
  return String(unscaled < 0n ? -unscaled : unscaled).length;
}

function signOf(value: bigint | number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
