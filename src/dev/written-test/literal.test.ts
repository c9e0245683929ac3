import { isObject } from "@tsbuilder/apimachinery/json";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Call, Code, literal } from "./literal.ts";

const awkward = fc.constantFrom("it's", '"', "`${x}`", "\\", "a\nb", "\u2028", "ü", "🐬", "\ud800", "*/", "");

test("a literal is the value that it was written from", () => {
  const texts = fc.oneof(awkward, fc.string({ unit: "grapheme" }));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.constantFrom(true, false, null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(texts, fc.constantFrom("__proto__", "a-b", "a")), tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (written) => {
      expect(plain(evaluate(literal(written, "  ")))).toEqual(plain(written));
    }),
  );
});

test("what is short is in one line, and members without a value are left out", () => {
  expect(literal({ a: 1, b: undefined, "c-d": [true, null], e: {} })).toBe(
    '{ a: 1, "c-d": [true, null], e: {} }',
  );
  const long = { name: "x".repeat(50), labels: { app: "y".repeat(50) } };
  expect(literal(long, "  ").split("\n")).toEqual([
    "{",
    `    name: "${"x".repeat(50)}",`,
    `    labels: { app: "${"y".repeat(50)}" },`,
    "  }",
  ]);
});

test("code stands in a literal as it is, and a call takes several lines if it must", () => {
  expect(literal({ a: new Code("expect.anything()") })).toBe("{ a: expect.anything() }");
  expect(literal(new Call("f", { a: 1 }))).toBe("f({ a: 1 })");
  expect(literal(new Call("f", ["x".repeat(90)]))).toBe(`f([\n  "${"x".repeat(90)}",\n])`);
});

function evaluate(code: string): unknown {
  // eslint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function(`return (${code});`)() as unknown;
}

/** Turns objects into lists of entries, so that a comparison also sees a member named `__proto__`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value) ? Object.entries(value).map(([key, member]) => [key, plain(member)]) : value;
}
