import type { WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** How one kind of value stands in a message and in JSON. */
export interface ValueCodec {
  /** Which layout its field has. */
  readonly wireType: number;
  /** Reads the value of the field that the reader stands at. */
  read(reader: WireReader, depth: number): unknown;
  write(writer: WireWriter, field: number, value: unknown): void;
  /** What is meant by a field that a map entry leaves out. */
  readonly zero: unknown;
  /** Whether a value is what Go makes of an absent one. */
  isZero(value: unknown): boolean;
}
