import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { patternError } from "./pattern.ts";

/** Syntax of both RE2 and JavaScript. */
const shared = String.raw`a b z A Z 0 9 _ - . : , / @ & = < > ! ~ % # " ' + * ? ( ) [ ] { } | ^ $ \ (?: [^ [a-z -z] \d \w \s \D \. \/ a* b+? (a|b) [0-9]+`;

/** Syntax with two meanings, or of only one of them. */
const different = String.raw`(?= (?! (?<n> (?P<n> (?i) [] [:alpha:] [[:alpha:]] \b \B \A \z \Q \E \1 \- \] \p{L} \pL \x41 \u0041 \C {2} {2,} {2,1} {1001} é`;

const piece = fc.constantFrom(" ", ...shared.split(" "), ...different.split(" "));

test("a pattern is valid exactly if RE2 compiles it, whatever JavaScript knows", () => {
  const { numRuns = 100 } = fc.readConfigureGlobal();
  const patterns = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(patterns, (source) => {
      expect(patternError(source) === undefined).toBe(isCompiled(source));
    }),
    { numRuns: numRuns * 100 },
  );
});

test.each([400, 1100])("groups %i deep", (depth) => {
  const source = "(".repeat(depth) + ")".repeat(depth);
  expect(patternError(source) === undefined).toBe(isCompiled(source));
});

function isCompiled(source: string): boolean {
  try {
    RE2JS.compile(source);
    return true;
  } catch {
    return false;
  }
}
