import type { Received } from "./connection.ts";

const nothing = Buffer.alloc(0);

/** Reads responses of HTTP/1.1 one after the other, without keeping their bodies: by their length, or in chunks. */
export class ResponseReader {
  readonly #onEnd: (received: Received) => void;
  /** A copy of the beginning of a head, or of a chunk's length, whose end has not arrived. */
  #rest: Buffer = nothing;
  #code = 0;
  #length = 0;
  #isBody = false;
  #isChunked = false;
  /** How much is left of the body, or of the present chunk with its line end. */
  #left = 0;

  constructor(onEnd: (received: Received) => void) {
    this.#onEnd = onEnd;
  }

  read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = nothing;
    while (bytes.length > 0) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length);
        this.#left -= taken;
        this.#length += taken;
        bytes = bytes.subarray(taken);
      } else {
        const mark = this.#isBody ? "\r\n" : "\r\n\r\n";
        const end = bytes.indexOf(mark);
        if (end === -1) {
          this.#rest = Buffer.from(bytes);
          return;
        }
        this.#readText(bytes.toString("latin1", 0, end));
        bytes = bytes.subarray(end + mark.length);
      }
      if (this.#isBody && this.#left === 0 && !this.#isChunked) this.#end();
    }
  }

  /** Reads a head, or the length of a chunk; the last chunk is empty, and followed by an empty line. */
  #readText(text: string): void {
    if (this.#isBody) {
      const size = Number.parseInt(text, 16);
      this.#left = size + 2;
      if (size === 0) this.#isChunked = false;
      return;
    }
    this.#code = Number(text.slice(9, 12));
    this.#isBody = true;
    this.#isChunked = /\r\ntransfer-encoding: *chunked/i.test(text);
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
  }

  #end(): void {
    const received = { code: this.#code, length: this.#length };
    this.#isBody = false;
    this.#length = 0;
    this.#onEnd(received);
  }
}
