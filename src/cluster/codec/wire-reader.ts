import { MalformedProtobufError } from "./malformed-protobuf.ts";

/** Protobuf's wire types. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Reads the fields of one message in their order. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The field that `next()` found. */
  field = 0;
  wireType = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Advances to the next field; returns false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field <= 0) throw new MalformedProtobufError(`proto: illegal tag ${tag}`);
    return true;
  }

  /** Whether there is more to read, for packed lists. */
  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** Reads a signed number of up to 64 bits; above 2^53 the nearest double, as in JSON. */
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

  /** Reads a length-delimited value: text, bytes or a message. */
  bytes(): Buffer {
    return this.#take(this.varint());
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  /** Skips an unknown field. */
  skip(): void {
    if (this.wireType === wire.varint) this.varint();
    else if (this.wireType === wire.fixed64) this.#take(8);
    else if (this.wireType === wire.bytes) this.bytes();
    else if (this.wireType === wire.fixed32) this.#take(4);
    else throw new MalformedProtobufError(`proto: illegal wireType ${this.wireType}`);
  }

  /** Throws unless the current field has a wire type. */
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
