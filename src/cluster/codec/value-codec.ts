import type { WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Converts values of one type between protobuf and JSON. */
export interface ValueCodec {
  /** The wire type of its field. */
  readonly wireType: number;
  /** Reads the value of the reader's current field. */
  read(reader: WireReader, depth: number): unknown;
  write(writer: WireWriter, field: number, value: unknown): void;
  /** The value of a field that is missing from a map entry. */
  readonly zero: unknown;
  /** Whether a value is Go's zero value. */
  isZero(value: unknown): boolean;
}
