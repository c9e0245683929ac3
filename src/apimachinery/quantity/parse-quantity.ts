import type { Quantity } from "../json/index.ts";
import { type Amount, roundUp } from "./amount.ts";
import { type Multiplier, readSuffix } from "./suffixes.ts";

/**
 * Parses a quantity as Kubernetes does: digits below nano are rounded up, binary quantities are capped at 2^63-1.
 * @throws TypeError with the API server's message
 */
export function parseQuantity(quantity: Quantity): Amount {
  const text = String(quantity);
  const match = text === "" ? null : form.exec(text);
  if (!match) {
    throw new TypeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign, zeros = "", digits = "", fraction = "", suffix = ""] = match;
  const multiplier = readSuffix(suffix);
  if (!multiplier) throw new TypeError("unable to parse quantity's suffix");
  if (zeros + digits + fraction === "" && !isShortcut(multiplier)) {
    throw new TypeError("unable to parse numeric part of quantity");
  }
  const amount = toAmount(digits + fraction, fraction.length, multiplier);
  const signed = sign === "-" ? { ...amount, unscaled: -amount.unscaled } : amount;
  return keepsText(digits, fraction, multiplier) && text !== "0" ? { ...signed, text } : signed;
}

/** Leading zeros, digits, fraction, suffix. A sign or a point without digits is zero. */
const form = /^([+-])?(0*)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/u;

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

/** Kubernetes has a fast path for small numbers, which accepts a quantity without digits. */
function isShortcut({ base, exponent }: Multiplier): boolean {
  return base === 10 ? exponent >= nano : exponent < 50;
}

const nano = -9;
const maxInt64 = (1n << 63n) - 1n;

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
