import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bundleTexts, rightBundle } from "../../../e2e/support/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { optionalSets, type OptionalSet } from "./rules.ts";
import { validateBundle } from "./validate-bundle.ts";

const optional = Object.keys(optionalSets) as OptionalSet[];
const right = rightBundle();
const files = Object.keys(right).filter((file) => typeof right[file] === "object");

/** Everything in a value that can be damaged: each node but the root, by its steps. */
function nodesOf(value: unknown, steps: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    [...steps, key],
    ...nodesOf(child, [...steps, key]),
  ]);
}

const nodes = files.flatMap((file) => nodesOf(right[file]).map((steps) => ({ file, steps })));

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1e300,
    "",
    " ",
    "0",
    "*",
    "__proto__",
    "a\nb",
    [],
    {},
    [null],
    [[]],
    [{}],
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const damage = fc.record({
  node: fc.constantFrom(...nodes),
  act: fc.constantFrom("delete", "replace", "rename", "repeat"),
  value: odd,
  name: fc.constantFrom("__proto__", "constructor", "a.b", "", "0", "name"),
});

function apply(
  bundle: Record<string, unknown>,
  { node, act, value, name }: typeof damage extends fc.Arbitrary<infer T> ? T : never,
): void {
  let target = bundle[node.file] as Record<string, unknown>;
  for (const step of node.steps.slice(0, -1)) {
    const next = target[step];
    // An earlier damage may have removed it.
    if (typeof next !== "object" || next === null) return;
    target = next as Record<string, unknown>;
  }
  const key = node.steps.at(-1)!;
  const former = target[key];
  if (act === "delete" || act === "rename") {
    if (Array.isArray(target)) target.splice(Number(key), 1);
    else delete target[key];
  }
  if (act === "replace") target[key] = value;
  if (act === "rename" && !Array.isArray(target)) {
    Object.defineProperty(target, name, {
      value: former,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  if (act === "repeat" && Array.isArray(target)) target.push(former);
}

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
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
      const bundle = rightBundle();
      for (const one of damages) apply(bundle, one);
      expect(await positionsOutside(bundleTexts(bundle))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test("neither does one with a piece of text cut out or inserted", async () => {
  const cut = fc.record({
    file: fc.constantFrom(...files, "bundle.Dockerfile"),
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
