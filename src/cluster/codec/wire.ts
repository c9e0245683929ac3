/** Protobuf's wire types. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Converts values of one type from protobuf to JSON. */
export interface ValueCodec {
  /** The wire type of its field. */
  readonly wireType: number;
  /** Reads the value of the reader's current field. */
  read(reader: WireReader, depth: number): unknown;
  /** The value of a field that is missing from a map entry. */
  readonly zero: unknown;
  /** Returns true for Go's zero value. */
  isZero(value: unknown): boolean;
}

/** Reads the fields of a message in their order, and those of the messages in it. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The end of the message that is being read. */
  #end: number;
  /** The field that `next()` found. */
  field = 0;
  wireType = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = this.#bytes.length;
  }

  /** Advances to the next field; returns false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.field <= 0) throw new MalformedProtobufError(`proto: illegal tag ${tag}`);
    return true;
  }

  /** True before the end of the message; for packed lists. */
  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** Enters the message in the current field, in place: a reader of its own for each takes three times as long. */
  enter(): number {
    const outer = this.#end;
    this.#end = this.#endOf(this.varint());
    return outer;
  }

  /** Skips what is left of a message; `outer` is what `enter()` returned. */
  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Reads a signed number of up to 64 bits; above 2^53 the nearest double, as in JSON. */
  varint(): number {
    let value = this.#byte();
    if (value < 0x80) return value;
    value &= 0x7f;
    // Seven bytes with seven bits each fit in a double; the rest of up to ten bytes needs BigInt.
    for (let shift = 1; shift < 7; shift++) {
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
    const at = this.#skip(8);
    return this.#bytes.readDoubleLE(at);
  }

  /** Reads a length-delimited value: text, bytes or a message. */
  bytes(): Buffer {
    const at = this.#skip(this.varint());
    return this.#bytes.subarray(at, this.#at);
  }

  text(): string {
    const at = this.#skip(this.varint());
    return this.#bytes.toString("utf8", at, this.#at);
  }

  skip(): void {
    if (this.wireType === wire.varint) this.varint();
    else if (this.wireType === wire.fixed64) this.#skip(8);
    else if (this.wireType === wire.bytes) this.#skip(this.varint());
    else if (this.wireType === wire.fixed32) this.#skip(4);
    else throw new MalformedProtobufError(`proto: illegal wireType ${this.wireType}`);
  }

  /** Throws unless the current field has a wire type. */
  expect(wireType: number): void {
    if (this.wireType !== wireType) {
      throw new MalformedProtobufError(`proto: wrong wireType = ${this.wireType} for field ${this.field}`);
    }
  }

  #byte(): number {
    return this.#bytes[this.#skip(1)]!;
  }

  /** Advances, and returns where that began. */
  #skip(length: number): number {
    const at = this.#at;
    this.#at = this.#endOf(length);
    return at;
  }

  #endOf(length: number): number {
    const end = this.#at + length;
    if (length < 0 || end > this.#end) throw new MalformedProtobufError("unexpected EOF");
    return end;
  }
}

/** Returns the bytes of a message with the fields that `writeFields` writes. */
export function write(writeFields: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter();
  writeFields(writer);
  return writer.finish();
}

export class WireWriter {
  readonly #chunks: Uint8Array[] = [];

  finish(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  varint(field: number, value: number | bigint): void {
    this.#tag(field, wire.varint);
    this.#number(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, wire.fixed64);
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#chunks.push(bytes);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, wire.bytes);
    this.#number(value.length);
    this.#chunks.push(value);
  }

  text(field: number, value: string): void {
    this.bytes(field, Buffer.from(value));
  }

  #tag(field: number, wireType: number): void {
    this.#number(field * 8 + wireType);
  }

  /** Negative numbers take ten bytes: they are written as unsigned 64-bit numbers. */
  #number(value: number | bigint): void {
    // Most numbers are small and positive, and BigInt is slow.
    const isPlain = typeof value === "number" && value >= 0 && Number.isSafeInteger(value);
    this.#chunks.push(
      Uint8Array.from(isPlain ? encodeVarint(value) : encodeBigVarint(BigInt.asUintN(64, BigInt(value)))),
    );
  }
}

/** Seven bits per byte, lowest first; all bytes but the last have their highest bit set. */
function encodeVarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

/** The same for numbers of up to 64 bits. */
function encodeBigVarint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

/** Bytes that are not a protobuf message of the expected type. The client gets a 400. */
export class MalformedProtobufError extends Error {
  override readonly name: string = "MalformedProtobufError";
  /** The type in the envelope, if it could be read. */
  readonly type: { readonly apiVersion: string; readonly kind: string } | undefined;

  constructor(message: string, type?: MalformedProtobufError["type"]) {
    super(message);
    this.type = type;
  }
}
