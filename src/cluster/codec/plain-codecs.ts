import type { ValueCodec } from "./value-codec.ts";
import { wire } from "./wire-reader.ts";

/** The codecs of protobuf's scalar types, by JSON schema type or format. */
export const plainCodecs: Readonly<
  Record<"boolean" | "int32" | "integer" | "number" | "string" | "byte", ValueCodec>
> = {
  boolean: {
    wireType: wire.varint,
    read: (reader) => reader.varint() !== 0,
    write: (writer, field, value) => writer.varint(field, value === true ? 1 : 0),
    zero: false,
    isZero: (value) => value === false,
  },
  int32: {
    wireType: wire.varint,
    // Go keeps the lower half of what does not fit.
    read: (reader) => reader.varint() | 0,
    write: (writer, field, value) => writer.varint(field, Math.trunc(value as number)),
    zero: 0,
    isZero: (value) => value === 0,
  },
  integer: {
    wireType: wire.varint,
    read: (reader) => reader.varint(),
    write: (writer, field, value) => writer.varint(field, Math.trunc(value as number)),
    zero: 0,
    isZero: (value) => value === 0,
  },
  number: {
    wireType: wire.fixed64,
    read: (reader) => reader.double(),
    write: (writer, field, value) => writer.double(field, value as number),
    zero: 0,
    isZero: (value) => value === 0,
  },
  string: {
    wireType: wire.bytes,
    read: (reader) => reader.text(),
    write: (writer, field, value) => writer.text(field, value as string),
    zero: "",
    isZero: (value) => value === "",
  },
  byte: {
    wireType: wire.bytes,
    read: (reader) => reader.bytes().toString("base64"),
    write: (writer, field, value) => writer.bytes(field, Buffer.from(value as string, "base64")),
    zero: "",
    isZero: (value) => value === "",
  },
};
