import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { MalformedProtobufError } from "./malformed-protobuf.ts";
import { message, write } from "./scalar-codecs.ts";
import type { ValueCodec } from "./value-codec.ts";
import { wire, WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Converts objects of one type to messages and back. Unknown fields are skipped. */
export interface MessageCodec extends ValueCodec {
  decode(bytes: Buffer, depth?: number): JSONObject<unknown>;
  encode(object: JSONObject<unknown>): Buffer;
}

/** A message's fields by number; a nested map is an embedded message whose fields are inlined in the parent's JSON. */
export type Layout = Map<number, Field | Layout>;

/** One field of an object and its place in the message. */
export interface Field {
  readonly name: string;
  readonly form: "single" | "list" | "map";
  readonly value: ValueCodec;
  readonly zeroIsAbsent: boolean;
}

/** Adds a field at the path of its field numbers. */
export function addField(layout: Layout, [number, ...rest]: readonly number[], field: Field): void {
  if (rest.length === 0) {
    layout.set(number!, field);
    return;
  }
  const inner = layout.get(number!) ?? (new Map() as Layout);
  layout.set(number!, inner);
  addField(inner as Layout, rest, field);
}

/** Deeper than any real object: protects the stack from malicious messages. */
const maxDepth = 100;

/** Makes the codec of a message. Its layout is computed on first use. */
export function messageCodec(layout: () => Layout): MessageCodec {
  const decode = (bytes: Buffer, depth = 0): JSONObject<unknown> => {
    if (depth > maxDepth) throw new MalformedProtobufError("proto: messages are nested too deeply");
    const object: JSONObject<unknown> = {};
    readMessage(new WireReader(bytes), layout(), object, depth);
    return object;
  };
  const encode = (object: JSONObject<unknown>): Buffer =>
    write((writer) => writeMessage(writer, layout(), object));
  return {
    decode,
    encode,
    ...message(decode, (value) => encode(value as JSONObject<unknown>), { zero: undefined }),
    zero: {},
    isZero: (value) => Object.keys(value as JSONObject<unknown>).length === 0,
  };
}

function readMessage(reader: WireReader, layout: Layout, object: JSONObject<unknown>, depth: number): void {
  while (reader.next()) {
    const field = layout.get(reader.field);
    if (!field) reader.skip();
    else if (field instanceof Map) {
      reader.expect(wire.bytes);
      readMessage(new WireReader(reader.bytes()), field, object, depth);
    } else if (field.form === "list") readItems(reader, field, object, depth);
    else if (field.form === "map") readEntry(reader, field, object, depth);
    else readSingle(reader, field, object, depth);
  }
}

function readSingle(reader: WireReader, field: Field, object: JSONObject<unknown>, depth: number): void {
  reader.expect(field.value.wireType);
  const value = field.value.read(reader, depth + 1);
  if (!(field.zeroIsAbsent && field.value.isZero(value))) object[field.name] = value;
}

function readItems(
  reader: WireReader,
  { name, value }: Field,
  object: JSONObject<unknown>,
  depth: number,
): void {
  const items = (object[name] ??= []) as unknown[];
  if (value.wireType === wire.bytes || reader.wireType !== wire.bytes) {
    reader.expect(value.wireType);
    items.push(value.read(reader, depth + 1));
    return;
  }
  // Numbers may also be packed into one field.
  const packed = new WireReader(reader.bytes());
  while (packed.hasMore) items.push(value.read(packed, depth + 1));
}

function readEntry(
  reader: WireReader,
  { name, value }: Field,
  object: JSONObject<unknown>,
  depth: number,
): void {
  reader.expect(wire.bytes);
  const entries = (object[name] ??= {}) as JSONObject<unknown>;
  const entry = new WireReader(reader.bytes());
  let key = "";
  let item = value.zero;
  while (entry.next()) {
    if (entry.field === 1) key = entry.text();
    else if (entry.field === 2) item = value.read(entry, depth + 1);
    else entry.skip();
  }
  // A key may be `__proto__`.
  Object.defineProperty(entries, key, { value: item, enumerable: true, configurable: true, writable: true });
}

function writeMessage(writer: WireWriter, layout: Layout, object: JSONObject<unknown>): void {
  for (const [number, field] of [...layout].sort(([a], [b]) => a - b)) {
    if (field instanceof Map) {
      const inner = write((nested) => writeMessage(nested, field, object));
      if (inner.length > 0) writer.bytes(number, inner);
      continue;
    }
    const value = object[field.name];
    if (value === undefined || value === null) continue;
    if (field.form === "single") field.value.write(writer, number, value);
    else if (field.form === "list")
      for (const item of value as unknown[]) field.value.write(writer, number, item);
    else writeEntries(writer, number, field, value as JSONObject<unknown>);
  }
}

function writeEntries(writer: WireWriter, number: number, field: Field, entries: JSONObject<unknown>): void {
  for (const [key, item] of Object.entries(entries)) {
    const entry = write((nested) => {
      nested.text(1, key);
      field.value.write(nested, 2, item);
    });
    writer.bytes(number, entry);
  }
}
