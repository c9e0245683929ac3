import { expect, test } from "vitest";
import { fnv64 } from "./text.ts";

test.each([
  ["", "cbf29ce484222325"],
  ["a", "af63dc4c8601ec8c"],
  ["foobar", "85944171f73967e8"],
])("the hash of %j is that of FNV-1a's authors", (text, hash) => {
  expect(fnv64(text).toString(16)).toBe(hash);
});

test("the hash is that of 64-bit arithmetic, for any text", () => {
  for (const text of ["0a7f3c52-9a1e-4b6b-8f3c-52d1e0a7c9b4", "Größe 😀", "\u0000\u00ff".repeat(40)]) {
    let expected = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text)) {
      expected = BigInt.asUintN(64, (expected ^ BigInt(byte)) * 0x100000001b3n);
    }
    expect(fnv64(text)).toBe(expected);
  }
});
