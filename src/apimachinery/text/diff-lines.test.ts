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

test("thousands of lines between the first and the last difference are one hunk, however much of them is the same", () => {
  const middle = Array.from({ length: 5000 }, (_, i) => `${i}`);
  const [a, b] = [
    ["same", "old", ...middle, "old", "same"],
    ["same", "new", ...middle, "new", "same"],
  ];
  expect(diffLines(a, b)).toEqual([{ aStart: 1, aEnd: 5003, bStart: 1, bEnd: 5003 }]);
});

test("one difference among thousands of lines is a hunk of that line alone", () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i}`);
  const changed = lines.with(10_000, "changed");
  expect(diffLines(lines, changed)).toEqual([{ aStart: 10_000, aEnd: 10_001, bStart: 10_000, bEnd: 10_001 }]);
});
