import type { QuantityFormat } from "./amount.ts";

/** The multiplier of a suffix: `base ** exponent`. */
export interface Multiplier {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Parses a suffix; returns `undefined` for an unknown one. `E` alone is exa, followed by digits it is an exponent. */
export function readSuffix(suffix: string): Multiplier | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal !== -1) return { base: 10, exponent: (decimal - 3) * 3, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary !== -1) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  const exponent = /^[eE]([+-]?\d+)$/u.exec(suffix)?.[1];
  // Kubernetes parses exponents as 32-bit integers, which wrap around.
  if (exponent === undefined || Math.abs(Number(exponent)) > 2 ** 31 - 1) return undefined;
  return { base: 10, exponent: Number(exponent), format: "DecimalExponent" };
}

/** Formats a power of ten that is a multiple of three; empty if no suffix fits, as in Kubernetes. */
export function writeDecimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  return decimalSuffixes[exponent / 3 + 3] ?? "";
}

/** Formats a power of 1024. */
export function writeBinarySuffix(power: number): string {
  return binarySuffixes[power] ?? "";
}
