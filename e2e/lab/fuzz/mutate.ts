/** Draws numbers from a seed: the same seed makes the same inputs, as long as the code under test is the same. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A whole number from 0 to below a limit. */
  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % Math.max(1, limit);
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** Bytes that break parsers of many languages. */
const troubles = [
  "\0",
  "\r\n",
  "\n",
  "\t",
  "\u00ff",
  '"',
  "'",
  "\\",
  "-1",
  "0",
  "1e999",
  "99999999999999999999",
  "__proto__",
  "constructor",
  "null",
  "{}",
  "[]",
  "%",
  "\ud800",
  "\u2028",
  "\ufeff",
];
const maxLength = 4096;

/** Changes an input in one to four places: bytes, pieces of it, pieces of another input, or words of the language. */
export function mutate(input: Buffer, other: Buffer, words: readonly string[], dice: Dice): Buffer {
  let bytes: Buffer = Buffer.from(input);
  // A character stands for a byte, so that words of binary formats are texts, too.
  const word = (): Buffer => Buffer.from(dice.oneOf(words), "latin1");
  for (let times = 1 + dice.below(4); times > 0; times--) {
    const at = dice.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + dice.below(16));
    const replaced = (piece: Uint8Array, to = at): Buffer =>
      Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(to)]);
    switch (dice.below(9)) {
      case 0:
        if (at < bytes.length) bytes[at]! ^= 1 << dice.below(8);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = dice.below(256);
        break;
      case 2:
        bytes = replaced(Buffer.alloc(0), end);
        break;
      case 3:
        bytes = replaced(bytes.subarray(at, end));
        break;
      case 4: {
        const from = dice.below(other.length);
        bytes = replaced(other.subarray(from, from + dice.below(64)), dice.below(2) === 0 ? at : end);
        break;
      }
      case 5:
        bytes = replaced(Buffer.from(dice.oneOf(troubles)), dice.below(2) === 0 ? at : end);
        break;
      case 6:
        // Nesting and repetition find what recurses, and what takes time with the square of a length.
        bytes = replaced(Buffer.concat(Array<Buffer>(1 + dice.below(100)).fill(word())));
        break;
      default:
        bytes = replaced(word(), dice.below(2) === 0 ? at : end);
    }
  }
  return bytes.subarray(0, maxLength);
}
