import { MalformedProtobufError } from "./malformed-protobuf.ts";

/** How a field's value is laid out. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Reads the fields of one message, in the order in which they stand. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The field that `next()` found. */
  field = 0;
  wireType = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Goes to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field <= 0) throw new MalformedProtobufError(`proto: illegal tag ${tag}`);
    return true;
  }

  /** Whether there is more to read; for packed lists. */
  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** A number of up to 64 bits with a sign. Above 2^53 the nearest one, as JSON has it. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 7; shift++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * shift);
      if (byte < 0x80) return value;
    }
    let rest = 0n;
    for (let shift = 0n; shift < 21n; shift += 7n) {
      const byte = this.#byte();
      rest |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, (rest << 49n) | BigInt(value)));
    }
    throw new MalformedProtobufError("proto: integer overflow");
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  /** What stands behind its own length: text, bytes or a message. */
  bytes(): Buffer {
    return this.#take(this.varint());
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  /** Passes over a field that is not known. */
  skip(): void {
    if (this.wireType === wire.varint) this.varint();
    else if (this.wireType === wire.fixed64) this.#take(8);
    else if (this.wireType === wire.bytes) this.bytes();
    else if (this.wireType === wire.fixed32) this.#take(4);
    else throw new MalformedProtobufError(`proto: illegal wireType ${this.wireType}`);
  }

  /** Insists on a layout. */
  expect(wireType: number): void {
    if (this.wireType !== wireType) {
      throw new MalformedProtobufError(`proto: wrong wireType = ${this.wireType} for field ${this.field}`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new MalformedProtobufError("unexpected EOF");
    return byte;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new MalformedProtobufError("unexpected EOF");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
