import { formatMicroTime, formatTime, parseTime } from "@tsbuilder/apimachinery/time";
import { MalformedProtobufError, type ValueCodec, WireReader, WireWriter, wire } from "./wire.ts";

/** Codecs of types that are scalars in JSON and messages in protobuf, by their names in schemas. */
export const scalarCodecs: Readonly<Record<string, ValueCodec>> = {
  Time: message(
    (bytes) => {
      const time = readTimestamp(bytes);
      return time && formatTime(time.seconds * 1000);
    },
    (value) => writeTimestamp(value as string | null, { hasFraction: false }),
    { zero: null },
  ),
  MicroTime: message(
    (bytes) => {
      const time = readTimestamp(bytes);
      if (!time) return null;
      // Writes the digits as text: a floating-point number of this size has no exact microseconds.
      const micros = String(Math.floor(time.nanos / 1000)).padStart(6, "0");
      return formatMicroTime(time.seconds * 1000).replace(/\.\d+/u, `.${micros}`);
    },
    (value) => writeTimestamp(value as string | null, { hasFraction: true }),
    { zero: null },
  ),
  Quantity: message(
    (bytes) => readField(bytes, 1, (reader) => reader.text()) ?? "0",
    (value) => write((writer) => writer.text(1, String(value))),
    { zero: "0" },
  ),
  IntOrString: message(readIntOrString, writeIntOrString, { zero: 0 }),
  RawExtension: message(readRaw, writeRaw, { zero: null }),
  FieldsV1: message(readRaw, writeRaw, { zero: null }),
  JSON: message(readRaw, writeRaw, { zero: null }),
};

/** Makes the codec of a value that is a message in protobuf. `zero` is the JSON form of an empty message. */
export function message(
  decode: (bytes: Buffer, depth: number) => unknown,
  encode: (value: unknown) => Uint8Array,
  { zero }: { zero: unknown },
): ValueCodec {
  return scalar(
    wire.bytes,
    zero,
    (reader, depth) => decode(reader.bytes(), depth),
    (writer, field, value) => writer.bytes(field, encode(value)),
  );
}

/** Makes a codec of its two directions. A value is zero if it equals `zero`. */
export function scalar(
  wireType: number,
  zero: unknown,
  read: ValueCodec["read"],
  writeValue: ValueCodec["write"],
): ValueCodec {
  return { wireType, zero, isZero: (value) => value === zero, read, write: writeValue };
}

/** Returns the bytes of a message with the fields that `writeFields` writes. */
export function write(writeFields: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter();
  writeFields(writer);
  return writer.finish();
}

/** Reads one field of a message; undefined if the message lacks it. */
function readField<T>(bytes: Buffer, field: number, read: (reader: WireReader) => T): T | undefined {
  let value: T | undefined;
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === field) value = read(reader);
    else reader.skip();
  }
  return value;
}

/** Returns null if there is no time, which is an empty message: the Unix epoch is a time. */
function readTimestamp(bytes: Buffer): { seconds: number; nanos: number } | null {
  if (bytes.length === 0) return null;
  const read = (reader: WireReader): number => reader.varint();
  const [seconds, nanos] = [readField(bytes, 1, read) ?? 0, readField(bytes, 2, read) ?? 0];
  // The years that JSON has: 0001 to 9999.
  if (seconds < -62_135_596_800 || seconds >= 253_402_300_800)
    throw new MalformedProtobufError("a time's year is outside of range [0,9999]");
  return { seconds, nanos };
}

function writeTimestamp(text: string | null, { hasFraction }: { hasFraction: boolean }): Buffer {
  if (text === null) return Buffer.alloc(0);
  const seconds = Math.floor(parseTime(text) / 1000);
  const fraction = /\.(\d{1,6})/u.exec(text)?.[1] ?? "";
  return write((writer) => {
    writer.varint(1, seconds);
    writer.varint(2, hasFraction ? Number(fraction.padEnd(6, "0")) * 1000 : 0);
  });
}

function readIntOrString(bytes: Buffer): unknown {
  let [isString, number, text] = [false, 0, ""];
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) isString = reader.varint() === 1;
    else if (reader.field === 2) number = reader.varint();
    else if (reader.field === 3) text = reader.text();
    else reader.skip();
  }
  return isString ? text : number;
}

function writeIntOrString(value: unknown): Buffer {
  const isString = typeof value === "string";
  return write((writer) => {
    writer.varint(1, isString ? 1 : 0);
    writer.varint(2, isString ? 0 : (value as number));
    writer.text(3, isString ? value : "");
  });
}

/** Parses the JSON text in the first field of a message: the form of values without a schema. */
function readRaw(bytes: Buffer): unknown {
  const raw = readField(bytes, 1, (reader) => reader.text()) ?? "";
  if (raw === "") return null;
  try {
    return JSON.parse(raw);
  } catch {
    throw new MalformedProtobufError("a raw value is not JSON");
  }
}

function writeRaw(value: unknown): Buffer {
  return write((writer) => writer.text(1, JSON.stringify(value)));
}
