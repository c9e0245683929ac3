type Runes = string | readonly string[];

/** Sorts keys as go-yaml does: letters after everything else, runs of digits by their number. */
export function compareKeys(a: string, b: string): number {
  // Without surrogates, a text is a list of its runes, and is read without a copy.
  if (surrogate.test(a) || surrogate.test(b)) return compareRunes(Array.from(a), Array.from(b));
  return compareRunes(a, b);
}

function compareRunes(left: Runes, right: Runes): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) if (left[at] !== right[at]) return compareAt(left, right, at);
  return left.length - right.length;
}

function compareAt(left: Runes, right: Runes, at: number): number {
  const [a, b] = [left[at]!, right[at]!];
  const [aIsLetter, bIsLetter] = [isLetter(a), isLetter(b)];
  if (aIsLetter !== bIsLetter) return aIsLetter ? 1 : -1;
  if (!aIsLetter) {
    // A zero inside a longer run of digits counts as a place, not as a leading zero.
    const prefix = (a === "0" || b === "0") && hasSignificantDigitBefore(left, at) ? "1" : "";
    const [aRun, bRun] = [digitsFrom(left, at), digitsFrom(right, at)];
    const difference = Number(`${prefix}${aRun}` || 0) - Number(`${prefix}${bRun}` || 0);
    if (difference !== 0) return difference;
    if (aRun.length !== bRun.length) return aRun.length - bRun.length;
  }
  return a.codePointAt(0)! - b.codePointAt(0)!;
}

function hasSignificantDigitBefore(runes: Runes, at: number): boolean {
  for (let i = at - 1; i >= 0 && digit.test(runes[i]!); i--) if (runes[i] !== "0") return true;
  return false;
}

function digitsFrom(runes: Runes, at: number): string {
  let digits = "";
  for (let end = at; end < runes.length && digit.test(runes[end]!); end++) digits += runes[end];
  return digits;
}

/** The number of characters of a text. */
export function countRunes(text: string): number {
  return surrogate.test(text) ? Array.from(text).length : text.length;
}

const surrogate = /[\ud800-\udfff]/;

function isLetter(rune: string): boolean {
  const code = rune.charCodeAt(0);
  // A small letter begins where the capital one does, and 32.
  return code < 0x80 ? (code | 32) >= 97 && (code | 32) <= 122 : letter.test(rune);
}

const letter = /^\p{L}$/u;
const digit = /^\d$/u;
