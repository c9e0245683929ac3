import { describe, expect, it, test } from "vitest";
import { runExample } from "../testdata/example.ts";
import { readJson, readNumber } from "./parse-marker.ts";

const max = 9223372036854775807n;

describe("readNumber()", () => {
  it.each([
    ["3", "int", 3],
    ["-0", "int", 0],
    ["+1.5", "number", 1.5],
    ["9007199254740991", "int", 9007199254740991],
    ["9007199254740993", "int", 9007199254740993n],
    ["-9007199254740993", "number", -9007199254740993n],
    ["+9223372036854775807", "int", max],
    ["-9223372036854775808", "int", -max - 1n],
    ["9223372036854775808", "int", undefined],
    ["9223372036854775808", "number", max + 1n],
    ["1e300", "number", 1e300],
    ["1e999", "number", undefined],
  ] as const)("reads %s as %s", (text, type, value) => {
    expect(readNumber(text, type)).toBe(value);
  });
});

describe("readJson()", () => {
  it("keeps the digits of numbers in lists and objects, and strings as they are", () => {
    const text = '{"a": [9223372036854775807, 1e300, -1.5, 3], "9007199254740993": "9007199254740993"}';
    expect(readJson(text)).toEqual({ a: [max, 1e300, -1.5, 3], "9007199254740993": "9007199254740993" });
  });

  it.each(["", "=", "#123", "\uE0009007199254740993", '"', "a: 1", "9007199254740993", "\u0000"])(
    "keeps the string %j, as value and as key",
    (string) => {
      const object = { [string]: string, list: [string, { string }] };
      expect(readJson(JSON.stringify(string))).toBe(string);
      expect(readJson(JSON.stringify(object, undefined, 1))).toEqual(object);
    },
  );

  it.each(["1e999", '{"a": [-1e999]}', "9223372036854775808", "[-9223372036854775809]", "{a}", "01"])(
    "refuses %s",
    (text) => {
      expect(() => readJson(text)).toThrow(SyntaxError);
    },
  );
});

test.each([
  ["/** @default 9223372036854775807 */", max],
  ["// +kubebuilder:default=9223372036854775807", max],
  ["// +default=9223372036854775807", max],
])("%s keeps all digits of the default", async (marker, value) => {
  const { spec } = await runExample(`${marker}\nsize?: int64;\n`);
  expect(spec?.properties?.["size"]?.default).toBe(value);
});
