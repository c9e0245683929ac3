/** Compares strings by UTF-16 code unit, whatever the machine's locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares strings by code point, as Go does. By code unit, emoji would come before U+E000 to U+FFFF. */
export function compareCharacters(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  if (index === length) return a.length - b.length;
  const [first, second] = [a.charCodeAt(index), b.charCodeAt(index)];
  const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
  if (isSurrogate(first) !== isSurrogate(second)) return isSurrogate(first) ? 1 : -1;
  return first - second;
}

/** The words of a string literal: `Words<"a b">` is `"a" | "b"`. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/** Splits a text at its spaces; of a literal, the type of the words is known. */
export function splitWords<Text extends string>(text: Text): Words<Text>[] {
  return text.split(" ") as Words<Text>[];
}

/** Joins words in PascalCase: `my-sql db` becomes `MySqlDb`. Everything but ASCII letters and digits separates words. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** The characters that `visibleText()` replaces. */
const controlCharacters =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/gu;

/**
 * Replaces characters that a terminal or a browser obeys rather than shows by JSON's escape sequences: control
 * characters, and characters that change the direction of text. Tabs and line breaks stay as they are.
 */
export function visibleText(text: string): string {
  return text.replaceAll(
    controlCharacters,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const prime = 0x1b3;
const halfSize = 2 ** 32;

/**
 * Returns the 64-bit FNV-1a hash of a text, by which Kubernetes shards. The prime is 2^40 + 0x1b3, so two halves of 32
 * bits are multiplied as numbers.
 */
export function fnv64(text: string): bigint {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * prime;
    high = (Math.imul(high, prime) + Math.floor(product / halfSize) + (mixed << 8)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
