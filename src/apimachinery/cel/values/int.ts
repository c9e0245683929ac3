import { EvalError } from "./eval-error.ts";

/**
 * A CEL int: a number if it is a safe integer, else a bigint. Every int has exactly one representation, so that `===`
 * and map keys work; almost all ints in practice are numbers.
 */
export type Int = number | bigint;

export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

/** Normalizes a bigint. */
export function toInt(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The same, for a result that may be out of range for int64. */
export function checkInt(value: bigint): Int {
  if (value > maxInt || value < minInt) throw new EvalError("integer overflow");
  return toInt(value);
}

/** Checks a result that may be out of range for uint64. */
export function checkUint(value: bigint): Int {
  if (value < 0n || value > maxUint) throw new EvalError("unsigned integer overflow");
  return toInt(value);
}

export function isInt(value: unknown): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

export function addInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkInt(BigInt(a) + BigInt(b));
}

export function subtractInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkInt(BigInt(a) - BigInt(b));
}

export function multiplyInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding zero changes -0 to 0: an int has no negative zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checkInt(BigInt(a) * BigInt(b));
}

/** Division truncates towards zero. */
export function divideInt(a: Int, b: Int): Int {
  if (b === 0) throw new EvalError("division by zero");
  return checkInt(BigInt(a) / BigInt(b));
}

/** The remainder has the sign of the dividend. */
export function remainderInt(a: Int, b: Int): Int {
  if (b === 0) throw new EvalError("modulus by zero");
  if (b === -1 && BigInt(a) === minInt) throw new EvalError("integer overflow");
  return toInt(BigInt(a) % BigInt(b));
}

export function negateInt(a: Int): Int {
  return typeof a === "number" ? 0 - a : checkInt(-a);
}

/** JavaScript compares numbers and bigints by their mathematical value. */
export function compareNumbers(a: Int, b: Int): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
