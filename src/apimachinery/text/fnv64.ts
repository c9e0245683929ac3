const prime = 0x1b3;
const word = 2 ** 32;

/** The 64-bit FNV-1a hash of a text. The prime is 2^40 + 0x1b3, so two halves of 32 bits are multiplied as numbers. */
export function fnv64(text: string): bigint {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * prime;
    high = (Math.imul(high, prime) + Math.floor(product / word) + (mixed << 8)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
