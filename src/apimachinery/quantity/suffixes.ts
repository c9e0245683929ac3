import type { QuantityFormat } from "./amount.ts";

/** What a suffix multiplies by: `base ** exponent`. */
export interface Multiplier {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Reads a suffix; `undefined` if there is none such. A single `E` is exa, with digits behind it is an exponent. */
export function readSuffix(suffix: string): Multiplier | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) return { base: 10, exponent: (decimal - 3) * 3, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary !== -1) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  const exponent = /^[eE]([+-]?\d+)$/u.exec(suffix)?.[1];
  // Exponents have 32 bits in Kubernetes; beyond that its arithmetic wraps around.
  if (exponent === undefined || Math.abs(Number(exponent)) > 2 ** 31 - 1) return undefined;
  return { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

/** Writes a power of ten that is a multiple of three; one beyond the suffixes has none, as in Kubernetes. */
export function writeDecimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  return decimalSuffixes[exponent / 3 + 3] ?? "";
}

/** Writes a power of 1024. */
export function writeBinarySuffix(power: number): string {
  return binarySuffixes[power] ?? "";
}
