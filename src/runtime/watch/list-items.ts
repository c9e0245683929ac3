import type { ListMeta } from "@tsbuilder/apimachinery/meta";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Extracts the items from the JSON of a list while it arrives. Parsing a long list at once would block the program for
 * a second, keep the text besides the objects, and fail if the text exceeds V8's maximum string length.
 */
export class ListItems {
  /** Everything except the items. */
  readonly #envelope: Buffer[] = [];
  #pieces: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;

  /** Adds a chunk and returns the JSON of the items that it completes. */
  push(chunk: Buffer): string[] {
    const items: string[] = [];
    // Where the current text starts in this chunk: an item's, or the envelope's.
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

  /**
   * The list's own metadata, when everything has arrived. Throws a `SyntaxError` for a truncated list, and for
   * something else, such as a proxy's answer, which would look like an empty list.
   */
  finish(): ListMeta {
    const text = this.#envelopeText;
    const list = JSON.parse(text) as { kind?: unknown; metadata?: ListMeta } | null;
    if (!String(list?.kind).endsWith("List")) throw new SyntaxError(`it is not a list: ${text.slice(0, 80)}`);
    return list?.metadata ?? {};
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
