import { expect, test } from "vitest";
import { readJsonObject } from "./read-json.ts";

test.each([
  ["", "is not valid JSON"],
  ['<<<<<<< HEAD\n{ "a": 1 }', "is not valid JSON"],
  ["{", "is not valid JSON"],
  ["null", "contains no JSON object"],
  ["[]", "contains no JSON object"],
  ["1", "contains no JSON object"],
])("readJsonObject() says what is wrong with %j", (text, words) => {
  expect(() => readJsonObject("package.json", text)).toThrow(`"package.json" ${words}`);
});

test("readJsonObject() takes what Windows' editors put before a text", () => {
  expect(readJsonObject("package.json", '\uFEFF{ "a": 1 }')).toEqual({ a: 1 });
});
