import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilerAccepts } from "../../../e2e/support/projects/compiler-verdict.ts";
import { randomSpecs } from "./random-types.ts";
import { specValidator } from "./spec-validator.ts";

describe("the schema of a random type", () => {
  it("accepts the values that the compiler accepts, and rejects the others", async () => {
    const verdicts = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(randomSpecs, async ({ code, closed, values }) => {
        const expected = compilerAccepts(closed, values);
        for (const verdict of expected) verdicts.add(verdict);
        const validate = await specValidator(code);
        const errors = values.map((value) => validate(value));
        const differing = values.flatMap((value, i) =>
          (errors[i]!.length === 0) === expected[i] ? [] : [{ code, value, errors: errors[i] }],
        );
        expect(differing).toEqual([]);
      }),
      // Each case starts a type checker.
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 4) },
    );
    expect(verdicts).toEqual(new Set([true, false]));
  });
});
