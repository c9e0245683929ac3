import type { ListMeta } from "@tsbuilder/apimachinery/meta";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Cuts the items out of a list's JSON while it arrives. Parsing the whole of a long list at once would stop the
 * program for a second, hold the text beside the objects, and fail where the text exceeds V8's longest string.
 */
export class ListItems {
  /** Everything but the items. */
  readonly #envelope: Buffer[] = [];
  #pieces: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;

  /** Takes a chunk and returns the JSON of the items that it ends. */
  push(chunk: Buffer): string[] {
    const items: string[] = [];
    // Where the text under way starts in this chunk: an item's, or the envelope's.
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) {
        this.#inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#inItems && this.#depth === 3) {
          start = at;
        } else if (byte === openBracket && this.#depth === 2 && !this.#inItems) {
          this.#envelope.push(chunk.subarray(start, at + 1));
          start = at + 1;
          this.#inItems = /"items"\s*:\s*\[$/.test(this.#envelopeText);
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#inItems && this.#depth === 2) {
          items.push(this.#finish(chunk.subarray(start, at + 1)));
          start = at + 1;
        } else if (this.#inItems && this.#depth === 1) {
          this.#inItems = false;
          start = at;
        }
      }
    }
    this.#keep(chunk, start);
    return items;
  }

  /** The list's own metadata, when all has arrived; throws `SyntaxError` if it was cut off. */
  finish(): ListMeta {
    const { metadata } = JSON.parse(this.#envelopeText) as { metadata?: ListMeta };
    return metadata ?? {};
  }

  get #envelopeText(): string {
    return Buffer.concat(this.#envelope).toString("utf8");
  }

  #keep(chunk: Buffer, start: number): void {
    if (!this.#inItems) this.#envelope.push(chunk.subarray(start));
    else if (this.#depth >= 3) this.#pieces.push(chunk.subarray(start));
  }

  #finish(last: Buffer): string {
    if (this.#pieces.length === 0) return last.toString("utf8");
    const item = Buffer.concat([...this.#pieces, last]).toString("utf8");
    this.#pieces = [];
    return item;
  }
}
