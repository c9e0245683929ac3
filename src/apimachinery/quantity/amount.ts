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
  if (signs[0] !== signs[1] || signs[0] === 0) return toSign(signs[0] - signs[1]);
  // Compare the number of digits first: the full value of `1e999999999` wouldn't fit into memory.
  const lengths = [digitsOf(a) + a.scale, digitsOf(b) + b.scale] as const;
  if (lengths[0] !== lengths[1]) return toSign((lengths[0] - lengths[1]) * signs[0]);
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
  const longer = digitsOf(a) + a.scale - digitsOf(b) - b.scale;
  if (Math.abs(longer) > maxShift) {
    const { text: _text, ...larger } = longer < 0 ? b : a;
    return larger;
  }
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: rescale(a, scale) + rescale(b, scale), scale, format };
}

/** Rounds to a power of ten, away from zero: a small amount never becomes zero. */
export function roundUp(amount: Amount, scale: number): Amount {
  if (amount.scale >= scale || amount.unscaled === 0n) return amount;
  const sign = BigInt(signOf(amount.unscaled));
  const drop = scale - amount.scale;
  // All digits are below the power of ten: the result doesn't depend on their value.
  if (drop > digitsOf(amount)) return { ...amount, unscaled: sign, scale };
  const divisor = 10n ** BigInt(drop);
  const quotient = amount.unscaled / divisor;
  const isExact = amount.unscaled % divisor === 0n;
  return { ...amount, unscaled: isExact ? quotient : quotient + sign, scale };
}

/** The unscaled integer of an amount at a lower or equal power of ten. */
export function rescale({ unscaled, scale }: Amount, to: number): bigint {
  return unscaled * 10n ** BigInt(scale - to);
}

/** More digits than any real quantity has; multiplying more would take seconds. */
export const maxShift = 10_000;

function digitsOf({ unscaled }: Amount): number {
  return String(unscaled < 0n ? -unscaled : unscaled).length;
}

function signOf(value: bigint): -1 | 0 | 1 {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function toSign(value: number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
