import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import { MalformedProtobufError, type ValueCodec, type WireReader, wire } from "./wire.ts";

/** Codecs of types that are scalars in JSON and messages in protobuf, by their names in schemas. */
export const scalarCodecs: Readonly<Record<string, ValueCodec>> = {
  Time: message((reader) => {
    const time = readTimestamp(reader);
    return time && formatTime(time.seconds * 1000);
  }, null),
  MicroTime: message((reader) => {
    const time = readTimestamp(reader);
    if (!time) return null;
    // Writes the digits as text: a floating-point number of this size has no exact microseconds.
    const micros = String(Math.floor(time.nanos / 1000)).padStart(6, "0");
    return formatMicroTime(time.seconds * 1000).replace(/\.\d+/u, `.${micros}`);
  }, null),
  Quantity: message((reader) => readText(reader) ?? "0", "0"),
  IntOrString: message(readIntOrString, 0),
  RawExtension: message(readRaw, null),
  FieldsV1: message(readRaw, null),
  JSON: message(readRaw, null),
};

/** Makes the codec of a value that is a message in protobuf. `zero` is the JSON form of an empty message. */
export function message(decode: (reader: WireReader, depth: number) => unknown, zero: unknown): ValueCodec {
  return scalar(wire.bytes, zero, (reader, depth) => {
    const outer = reader.enter();
    const value = decode(reader, depth);
    reader.leave(outer);
    return value;
  });
}

/** Makes a codec. A value is zero if it equals `zero`. */
export function scalar(wireType: number, zero: unknown, read: ValueCodec["read"]): ValueCodec {
  return { wireType, zero, isZero: (value) => value === zero, read };
}

/** Reads the first field of a message, a text; undefined if the message lacks it. */
function readText(reader: WireReader): string | undefined {
  let text: string | undefined;
  while (reader.next()) {
    if (reader.field === 1) text = reader.text();
    else reader.skip();
  }
  return text;
}

/** Returns null if there is no time, which is an empty message: the Unix epoch is a time. */
function readTimestamp(reader: WireReader): { seconds: number; nanos: number } | null {
  if (!reader.hasMore) return null;
  let [seconds, nanos] = [0, 0];
  while (reader.next()) {
    if (reader.field === 1) seconds = reader.varint();
    else if (reader.field === 2) nanos = reader.varint();
    else reader.skip();
  }
  // The years that JSON has: 0001 to 9999.
  if (seconds < -62_135_596_800 || seconds >= 253_402_300_800)
    throw new MalformedProtobufError("a time's year is outside of range [0,9999]");
  return { seconds, nanos };
}

function readIntOrString(reader: WireReader): unknown {
  let [isString, number, text] = [false, 0, ""];
  while (reader.next()) {
    if (reader.field === 1) isString = reader.varint() === 1;
    else if (reader.field === 2) number = reader.varint();
    else if (reader.field === 3) text = reader.text();
    else reader.skip();
  }
  return isString ? text : number;
}

/** Parses the JSON text in the first field of a message: the form of values without a schema. */
function readRaw(reader: WireReader): unknown {
  const raw = readText(reader) ?? "";
  if (raw === "") return null;
  try {
    return JSON.parse(raw);
  } catch {
    throw new MalformedProtobufError("a raw value is not JSON");
  }
}
