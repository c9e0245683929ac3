import * as fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf, blockSize } from "./send-reply.ts";

test("blocks have the bytes of the parts in their order, and none is larger than the limit", () => {
  const part = fc
    .oneof(fc.nat(100), fc.integer({ min: blockSize - 2, max: 3 * blockSize }))
    .map((size) => Buffer.alloc(size, size % 251));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const blocks = [...blocksOf(parts)];
      expect(Buffer.concat(blocks).equals(Buffer.concat(parts))).toBe(true);
      expect(blocks.filter(({ length }) => length === 0 || length > blockSize)).toEqual([]);
      for (const [index, { length }] of blocks.slice(1).entries()) {
        expect(blocks[index]!.length + length).toBeGreaterThan(blockSize);
      }
    }),
  );
});
