import { describe, expect, test } from "vitest";
import { findProgram } from "../find-program.ts";
import { whyLeftOut } from "../left-out.ts";
import { isQuick } from "../quick-specs.ts";
import { listSpecs, runSpecs } from "../run-specs.ts";
import { titleOf } from "../table.ts";
import type { Verdict } from "../verdicts.ts";

const program = findProgram({ build: false });

if ("missing" in program) {
  console.log(`left out: Kubernetes' conformance suite: ${program.missing}`);
  test("Kubernetes' conformance suite is left out without its program", () => {
    expect(program.missing).not.toBe("");
  });
} else {
  const all = await listSpecs(program);
  const quick = all.filter((spec) => whyLeftOut(spec) === undefined && isQuick(spec));
  console.log(
    `left out: ${all.length - quick.length} of ${all.length} conformance specs: npm run lab -- conformance`,
  );

  describe("quick specs of Kubernetes' conformance suite", () => {
    let verdicts: Promise<Verdict[]> | undefined;
    const named = quick.map((spec): [string, string] => [titleOf(spec), spec]);
    test.each(named)("%s", async (_, spec) => {
      verdicts ??= runSpecs(program, quick, { shares: 4, output: "ignore" });
      const found = (await verdicts).find((verdict) => verdict.spec === spec);
      expect(found).toEqual({ spec, passed: true, message: "" });
    });
  });
}
