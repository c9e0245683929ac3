import type { MarkerValue } from "./argument-type.ts";

/**
 * A number in decimal: a bigint where JavaScript's numbers lose digits, and undefined where Go has no value for it: an
 * integer beyond int64, or one beyond float64.
 */
export function readNumber(text: string, type: "int" | "number"): number | bigint | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (!/^[-+]?\d+$/u.test(text) || Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const whole = BigInt(text.replace(/^\+/u, ""));
  return type === "int" && whole !== BigInt.asIntN(64, whole) ? undefined : whole;
}

/** Parses JSON. Throws a SyntaxError, also for a number that Go has no value for. */
export function readJson(text: string): MarkerValue {
  // JSON.parse() would round long integers: they become strings that begin with "#", all other strings begin with "=".
  const marked = text.replaceAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*/gu, (token, string, colon) => {
    if (string !== undefined) return colon === undefined ? `"=${token.slice(1)}` : token;
    return /^-?[1-9]\d{15,}$/u.test(token) ? `"#${token}"` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    const read =
      typeof value !== "string"
        ? value
        : value[0] === "="
          ? value.slice(1)
          : readNumber(value.slice(1), "int");
    if (read === undefined || read === Infinity || read === -Infinity) {
      throw new SyntaxError("the number is too large");
    }
    return read;
  }) as MarkerValue;
}
