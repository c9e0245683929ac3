import { expect, test } from "vitest";
import {
  compareCharacters,
  compareText,
  controlEscapes,
  goFloat,
  goJSON,
  goSyntax,
  goText,
  goValue,
  pascalCase,
  quote,
  shortEscape,
} from "./index.ts";

test("compareText() compares code units, whatever the machine's locale", () => {
  expect(["b", "Z", "a", "ä", "", "a"].toSorted(compareText)).toEqual(["", "Z", "a", "a", "b", "ä"]);
});

test("compareCharacters() puts characters beyond the basic plane last, compareText() doesn't", () => {
  const texts = ["\u{1f600}", "\uffee", "a"];
  expect(texts.toSorted(compareCharacters)).toEqual(["a", "\uffee", "\u{1f600}"]);
  expect(texts.toSorted(compareText)).toEqual(["a", "\u{1f600}", "\uffee"]);
  expect([compareCharacters("a", "ab"), compareCharacters("a", "a")]).toEqual([-1, 0]);
});

test("pascalCase() joins the words of a name and keeps capitals", () => {
  expect(["my-sql db", "mySQL", "2nd_try", "--"].map(pascalCase)).toEqual(["MySqlDb", "MySQL", "2ndTry", ""]);
});

test("shortEscape() is the inverse of the table of escapes", () => {
  for (const [letter, char] of Object.entries(controlEscapes)) expect(shortEscape(char)).toBe(`\\${letter}`);
  expect([shortEscape('"'), shortEscape("\\"), shortEscape("a"), shortEscape("'")]).toEqual([
    '\\"',
    "\\\\",
    undefined,
    undefined,
  ]);
});

test("strings are quoted as Go's %q does", () => {
  expect(quote('a"\n\u0007\u001b\u200b\u{e0001}ä')).toBe('"a\\"\\n\\a\\x1b\\u200b\\U000e0001ä"');
});

test("values are formatted as in messages of Go programs", () => {
  expect([1, 1.5, 1e21, true, "a", { b: "<", a: 1 }].map(goValue)).toEqual([
    "1",
    "1.5",
    "1e+21",
    "true",
    '"a"',
    '{"a":1,"b":"\\u003c"}',
  ]);
  expect([1e6, 1e-5, -0, Infinity].map(goFloat)).toEqual(["1e+06", "1e-05", "-0", "+Inf"]);
  expect(goJSON([null, { z: 5n }])).toBe('[null,{"z":5}]');
  expect(goText({ b: [1, null], a: { c: "d" } })).toBe("map[a:map[c:d] b:[1 <nil>]]");
  expect(goSyntax({ a: [null, "b"] })).toBe(
    'map[string]interface {}{"a":[]interface {}{interface {}(nil), "b"}}',
  );
});
