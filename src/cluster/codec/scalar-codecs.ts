import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import { MalformedProtobufError, type ValueCodec, WireReader, wire } from "./wire.ts";

/** Codecs of types that are scalars in JSON and messages in protobuf, by their names in schemas. */
export const scalarCodecs: Readonly<Record<string, ValueCodec>> = {
  Time: message((bytes) => {
    const time = readTimestamp(bytes);
    return time && formatTime(time.seconds * 1000);
  }, null),
  MicroTime: message((bytes) => {
    const time = readTimestamp(bytes);
    if (!time) return null;
    // Writes the digits as text: a floating-point number of this size has no exact microseconds.
    const micros = String(Math.floor(time.nanos / 1000)).padStart(6, "0");
    return formatMicroTime(time.seconds * 1000).replace(/\.\d+/u, `.${micros}`);
  }, null),
  Quantity: message((bytes) => readField(bytes, 1, (reader) => reader.text()) ?? "0", "0"),
  IntOrString: message(readIntOrString, 0),
  RawExtension: message(readRaw, null),
  FieldsV1: message(readRaw, null),
  JSON: message(readRaw, null),
};

/** Makes the codec of a value that is a message in protobuf. `zero` is the JSON form of an empty message. */
export function message(decode: (bytes: Buffer, depth: number) => unknown, zero: unknown): ValueCodec {
  return scalar(wire.bytes, zero, (reader, depth) => decode(reader.bytes(), depth));
}

/** Makes a codec. A value is zero if it equals `zero`. */
export function scalar(wireType: number, zero: unknown, read: ValueCodec["read"]): ValueCodec {
  return { wireType, zero, isZero: (value) => value === zero, read };
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
