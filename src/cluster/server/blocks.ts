/** A block is encrypted and written at once, which should take less than a millisecond. */
export const blockSize = 128 * 1024;

/** Joins small parts, and cuts large ones, into blocks of at most `blockSize` bytes. */
export function* blocksOf(parts: Iterable<Buffer>): Generator<Buffer> {
  let block: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; start += blockSize) {
      const piece = part.subarray(start, start + blockSize);
      if (size + piece.length > blockSize) {
        yield Buffer.concat(block);
        block = [];
        size = 0;
      }
      block.push(piece);
      size += piece.length;
    }
  }
  if (size > 0) yield Buffer.concat(block);
}
