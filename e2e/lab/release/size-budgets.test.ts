import { expect, test } from "vitest";
import { checkSize } from "./pack-release.ts";

const tarball = (name: string, size: number) => ({ name, bytes: new Uint8Array(size) });

test("a package may have its budget, and no byte more", () => {
  expect(checkSize(tarball("a", 2000), { a: 2 })).toEqual([]);
  expect(checkSize(tarball("a", 2001), { a: 2 })).toEqual(["a: has 3 kB packed, and may have 2"]);
});

test("a new package needs a budget", () => {
  expect(checkSize(tarball("b", 1))).toEqual(["b: has no budget in e2e/lab/release/pack-release.ts"]);
});
