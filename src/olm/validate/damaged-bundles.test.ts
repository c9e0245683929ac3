import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyDamage, damagedFiles, randomDamage } from "../../../e2e/support/olm/random-damages.ts";
import { bundleTexts, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { optionalSets, type OptionalSet } from "./rules.ts";
import { validateBundle } from "./validate-bundle.ts";

const optional = Object.keys(optionalSets) as OptionalSet[];

async function positionsOutside(texts: Record<string, string>): Promise<string[]> {
  const findings = await validateBundle(memoryTree(texts), "bundle", { optional, requireDigests: true });
  return findings
    .filter(({ position: { file, line, column } }) => {
      const lines = (texts[file] ?? "").split("\n");
      return line < 1 || column < 1 || line > lines.length || column > lines[line - 1]!.length + 1;
    })
    .map(({ rule, position }) => `${rule} ${JSON.stringify(position)}`);
}

test("a bundle with random nodes deleted, replaced, renamed or repeated never ends in a JavaScript error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomDamage, { minLength: 1, maxLength: 4 }), async (damages) => {
      const bundle = rightBundle();
      for (const one of damages) applyDamage(bundle, one);
      expect(await positionsOutside(bundleTexts(bundle))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test("neither does one with a piece of text cut out or inserted", async () => {
  const cut = fc.record({
    file: fc.constantFrom(...damagedFiles, "bundle.Dockerfile"),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    insert: fc.oneof(
      fc.constantFrom("", "\n", "  ", "- ", ": ", "&a ", "*a", "<<: *a", "? ", "!!set ", "{", "\t", "---\n"),
      fc.string({ maxLength: 5 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(cut, async ({ file, from, length, insert }) => {
      const texts = bundleTexts(rightBundle());
      const path = file in texts ? file : `bundle/${file}`;
      const at = Math.floor(from * texts[path]!.length);
      texts[path] = texts[path]!.slice(0, at) + insert + texts[path]!.slice(at + length);
      expect(await positionsOutside(texts)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
