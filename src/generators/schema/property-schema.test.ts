import { expect, test } from "vitest";
import { specValidator } from "../testdata/example.ts";

test.each<[type: string, one: string, other: string, accepted: unknown, rejected: unknown]>([
  ["a value", "string | null", "string", "x", null],
  ["a field", "{ in: string | null }", "{ in: string }", { in: "x" }, { in: null }],
  ["elements", "(string | null)[]", "string[]", ["x"], [null]],
  [
    "values of a map",
    "Record<string, { in: int32 }>",
    "Record<string, { in: int32 | null }>",
    { x: { in: 1 } },
    { x: { in: null } },
  ],
  ["one of several values", '"x" | "y" | null', '"y" | "z"', "y", null],
  [
    "nested elements",
    "{ in?: { of: int32 }[][] }",
    "{ in?: ({ of: int32 } | null)[][] }",
    { in: [[{ of: 1 }]] },
    { in: [[null]] },
  ],
])(
  "%s may be null only where both members of an intersection allow it",
  async (_, one, other, accepted, rejected) => {
    for (const types of [`{ a: ${one} } & { a: ${other} }`, `{ a: ${other} } & { a: ${one} }`]) {
      const validate = await specValidator(`from: ${types};`);
      expect(validate({ from: { a: accepted } })).toEqual([]);
      expect(validate({ from: { a: rejected } })).not.toEqual([]);
    }
  },
);

test("null is allowed where both members of an intersection allow it", async () => {
  const validate = await specValidator(
    "from: { a: (string | null)[] } & { a: (string | null)[]; b?: string };",
  );
  expect(validate({ from: { a: [null] } })).toEqual([]);
});
