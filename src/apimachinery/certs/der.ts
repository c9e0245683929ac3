/** A list of values, one behind the other. */
export function sequence(...values: readonly Uint8Array[]): Buffer {
  return der(tags.sequence, ...values);
}

/** A list whose order means nothing. */
export function set(...values: readonly Uint8Array[]): Buffer {
  return der(tags.set, ...values);
}

/** Bytes, or a value within a value. */
export function octetString(content: Uint8Array): Buffer {
  return der(tags.octetString, content);
}

/** Text. */
export function utf8String(text: string): Buffer {
  return der(tags.utf8String, Buffer.from(text));
}

/** Whole bytes: no bit of the last one is unused. */
export function bitString(content: Uint8Array): Buffer {
  return der(tags.bitString, Buffer.from([0]), content);
}

/** A positive integer; a leading zero keeps a set first bit from meaning a sign. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Buffer.from([0]) : bytes.subarray(start);
  return der(tags.integer, ...(digits[0]! >= 0x80 ? [Buffer.from([0])] : []), digits);
}

/** The one value of a boolean that is ever written: false is the default everywhere. */
export const derTrue: Buffer = Buffer.from([0x01, 0x01, 0xff]);

/** A value that is told from its neighbours by a number only. */
export function tagged(number: number, content: Uint8Array, { constructed = true } = {}): Buffer {
  return der((constructed ? 0xa0 : 0x80) | number, content);
}

/** An object identifier, written with dots. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]));
}

/** All bytes but the last have their first bit set. */
function toBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Two digits of the year until 2049, as X.509 demands, four from then on. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]|\..*/gu, "")}Z`;
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? der(tags.utcTime, Buffer.from(digits.slice(2)))
    : der(tags.generalizedTime, Buffer.from(digits));
}

/** Writes one DER value: its tag, the length of its content in as few bytes as possible, and the content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.from(
    content.length.toString(16).padStart(content.length > 0xff_ff ? 6 : 4, "0"),
    "hex",
  );
  const bytes = length[0] === 0 && length.length > 1 ? length.subarray(1) : length;
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

/** The tags that certificates use. */
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
