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

/** Reads the values inside a sequence, a set or a constructed tag. */
export function readChildren(value: DerValue): DerValue[] {
  return readAll(value.content);
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
