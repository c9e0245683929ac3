import { wire } from "./wire-reader.ts";

/** Writes the fields of one message. */
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
      Uint8Array.from(isPlain ? plainDigits(value) : bigDigits(BigInt.asUintN(64, BigInt(value)))),
    );
  }
}

/** Seven bits per byte, lowest first; all bytes but the last have their highest bit set. */
function plainDigits(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

function bigDigits(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}
