import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";

test("the lines outside of the hunks are the same in both texts, and those inside lead from one to the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const built: string[] = [];
      let at = 0;
      for (const { aStart, aEnd, bStart, bEnd } of diffLines(a, b)) {
        built.push(...a.slice(at, aStart), ...b.slice(bStart, bEnd));
        at = aEnd;
      }
      expect([...built, ...a.slice(at)]).toEqual(b);
    }),
  );
});

test("two differences with thousands of lines between them are two hunks", () => {
  const middle = Array.from({ length: 5000 }, (_, i) => `${i}`);
  const hunks = diffLines(["same", "old", ...middle, "old"], ["same", "new", ...middle, "new"]);
  expect(hunks).toEqual([
    { aStart: 1, aEnd: 2, bStart: 1, bEnd: 2 },
    { aStart: 5002, aEnd: 5003, bStart: 5002, bEnd: 5003 },
  ]);
});

test("texts with thousands of differing lines are one hunk", () => {
  const [a, b] = ["a", "b"].map((letter) => Array.from({ length: 3000 }, (_, i) => `${letter}${i}`));
  expect(diffLines(a!, b!)).toEqual([{ aStart: 0, aEnd: 3000, bStart: 0, bEnd: 3000 }]);
});

test("one difference among thousands of lines is a hunk of that line alone", () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i}`);
  const changed = lines.with(10_000, "changed");
  expect(diffLines(lines, changed)).toEqual([{ aStart: 10_000, aEnd: 10_001, bStart: 10_000, bEnd: 10_001 }]);
});
