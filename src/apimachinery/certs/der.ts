/** The DER tags used in certificates. */
const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** An ordered list of values. */
export function sequence(...values: readonly Uint8Array[]): Buffer {
  return der(tags.sequence, ...values);
}

/** An unordered list of values. */
export function set(...values: readonly Uint8Array[]): Buffer {
  return der(tags.set, ...values);
}

/** Bytes, or an encoded value. */
export function octetString(content: Uint8Array): Buffer {
  return der(tags.octetString, content);
}

/** A UTF-8 string. */
export function utf8String(text: string): Buffer {
  return der(tags.utf8String, Buffer.from(text));
}

/** A bit string of whole bytes: the count of unused bits is 0. */
export function bitString(content: Uint8Array): Buffer {
  return der(tags.bitString, Buffer.from([0]), content);
}

/** A positive integer, with a leading zero byte if the first bit would otherwise be read as the sign. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Buffer.from([0]) : bytes.subarray(start);
  return der(tags.integer, ...(digits[0]! >= 0x80 ? [Buffer.from([0])] : []), digits);
}

/** The boolean true; false is the default everywhere and DER omits defaults. */
export const trueValue: Buffer = Buffer.from([0x01, 0x01, 0xff]);

/** A context-specific tag. */
export function tagged(number: number, content: Uint8Array, { constructed = true } = {}): Buffer {
  return der((constructed ? 0xa0 : 0x80) | number, content);
}

/** An object identifier, given in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]));
}

/** Base 128: the high bit of every byte but the last is set. */
function toBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** UTCTime with a two-digit year through 2049, GeneralizedTime from 2050 on, as RFC 5280 requires. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]|\..*/gu, "")}Z`;
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? der(tags.utcTime, Buffer.from(digits.slice(2)))
    : der(tags.generalizedTime, Buffer.from(digits));
}

/** Encodes one DER value: the tag, the length in as few bytes as possible, and the content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, content]);
}

/** A DER value: `bytes` is the whole encoding, `content` what follows tag and length. */
export interface DerValue {
  readonly tag: number;
  readonly bytes: Buffer;
  readonly content: Buffer;
}

/** Reads a single value; no bytes may follow it. */
export function readDer(bytes: Uint8Array): DerValue {
  const [value, ...rest] = readAll(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!value || rest.length > 0) throw new TypeError("not a single DER value");
  return value;
}

/** Reads the values inside a sequence, a set or a constructed tag; throws if there are fewer than expected. */
export function readChildren(value: DerValue, expected = 0): DerValue[] {
  const values = readAll(value.content);
  if (values.length < expected) throw new TypeError("truncated DER value");
  return values;
}

/** Returns an object identifier in dotted form. */
export function readOid({ content }: DerValue): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    numbers.push(value);
    value = 0;
  }
  const [first = 0, ...rest] = numbers;
  // The first two numbers share one: 40 times the first, which is at most 2, and the second.
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join(".");
}

function readAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const value = readAt(bytes.subarray(at));
    values.push(value);
    at += value.bytes.length;
  }
  return values;
}

/** Reads the value with which the bytes begin. */
function readAt(bytes: Buffer): DerValue {
  const [tag = 0, first = 0] = bytes;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // Four bytes of length are enough for any certificate; more would be an attack.
  if (lengthBytes > 4 || (first >= 0x80 && lengthBytes === 0)) throw new TypeError("malformed DER length");
  const start = 2 + lengthBytes;
  if (bytes.length < start) throw new TypeError("truncated DER value");
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new TypeError("truncated DER value");
  return { tag, bytes: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) };
}
