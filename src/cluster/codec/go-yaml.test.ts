import { expect, test } from "vitest";
import answers from "./testdata/yaml-as-go-reads-it.json" with { type: "json" };
import { readAsGo } from "../../../e2e/support/cluster/read-as-go.ts";
import { explainYAML, findDuplicateKeys, parseGoYAML } from "./go-yaml.ts";

/** Texts with what Go makes of them; `e2e/oracle/real/go-yaml.test.ts` asks Go itself again. */
test.each(answers.filter((answer) => !("error" in answer)))("$text is read as Go reads it", (answer) => {
  const { text, ...read } = answer;
  expect(readAsGo(text)).toEqual(read);
});

test.each(answers.filter((answer) => "error" in answer))("$text is refused, as Go refuses it", ({ text }) => {
  expect(readAsGo(text)).toHaveProperty("error");
});

test("parseGoYAML() ends a quoted scalar where a document begins", () => {
  expect(() => parseGoYAML('a: "x\n---\ny"\n')).toThrow("Missing closing");
});

test("findDuplicateKeys() names key and line", () => {
  expect(findDuplicateKeys("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")).toEqual([
    'line 4: key "c" already set in map',
    'line 5: key "a" already set in map',
  ]);
  expect(findDuplicateKeys('{"a": 1, "a": 2}')).toEqual(['line 1: key "a" already set in map']);
  expect(findDuplicateKeys("a:\n  b: 1\n  b: 2\na:\n  c: 2\nyes: 1\ny:\n")).toEqual([
    'line 3: key "b" already set in map',
    'line 5: key "a" already set in map',
    "line 7: key true already set in map",
  ]);
});

test("findDuplicateKeys() reads a mapping of 200,000 keys", () => {
  const keys = Array.from({ length: 200_000 }, (_, index) => `k${index}: v`);
  expect(findDuplicateKeys([...keys, "k7: w"].join("\n"))).toEqual([
    'line 200001: key "k7" already set in map',
  ]);
});

test("merges count as members, in the order of the text", () => {
  const text = (data: string): string => `l: &l {a: b}\nd:\n  ${data}\n`;
  expect(parseGoYAML(text("<<: *l\n  a: c"))).toMatchObject({ d: { a: "c" } });
  expect(parseGoYAML(text("a: c\n  <<: *l"))).toMatchObject({ d: { a: "b" } });
  expect(parseGoYAML(text("<<: [{a: first}, *l]"))).toMatchObject({ d: { a: "first" } });
  expect(findDuplicateKeys(text("a: c\n  <<: *l"))).toEqual(['line 1: key "a" already set in map']);
  expect(() => parseGoYAML(text("<<: 1"))).toThrow("map merge requires map or sequence of maps as the value");
});

test.each([
  ["a: &a [*a]", "anchor 'a' value contains itself"],
  ["a: &a {b: [{c: *a}]}", "anchor 'a' value contains itself"],
  ["a: &a {<<: *a}", "anchor 'a' value contains itself"],
  ["a: *b", "unknown anchor 'b' referenced"],
])("an alias without an end, or of nothing, is named: %s", (text, problem) => {
  expect(() => parseGoYAML(text)).toThrow(`yaml: ${problem}`);
});

test.each([
  ['{"a": 1}x', { a: 1 }],
  ['{"a": 1} {"b": 2}', { a: 1 }],
  ['{"a": 1}\n---\nb: 2', { a: 1 }],
  ["a: 1\n---\nb: 2", { a: 1 }],
  ["[1, {a: 2}] # ]", [1, { a: 2 }]],
  ["{a: it's, b: '}', c: \"\\\"}\", d: e} # f", { a: "it's", b: "}", c: '"}', d: "e" }],
  ["{a: 1 # }\n}", { a: 1 }],
])("only the first document of a text is read: %s", (text, value) => {
  expect(parseGoYAML(text)).toEqual(value);
});

test.each([
  ['{"', "yaml: found unexpected end of stream"],
  ['{"a"', "yaml: line 1: did not find expected ',' or '}'"],
  ['{"a":', "yaml: line 1: did not find expected node content"],
  ['a: 1\nb: ["c"', "yaml: line 2: did not find expected ',' or ']'"],
  ["a: b: c", "yaml: mapping values are not allowed in this context"],
  ["\ta: 1", "yaml: found character that cannot start any token"],
  ["a: .inf", "json: unsupported value: +Inf"],
])("explainYAML() says what is wrong with %j in Go's words", (text, why) => {
  expect(explained(text)).toBe(why);
});

function explained(text: string): string {
  try {
    return JSON.stringify(parseGoYAML(text));
  } catch (error) {
    return explainYAML(error, text);
  }
}

test("merges of merges can't exhaust the memory", () => {
  const ten = (name: string): string => `[${Array.from({ length: 10 }, () => `*${name}`).join(", ")}]`;
  const lines = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} {<<: ${ten(`l${level}`)}}`,
  );
  expect(() => parseGoYAML(`l0: &l0 {a: b}\n${lines.join("\n")}\n`)).toThrow("excessive aliasing");
});

test.each([
  ["a: |\n  x", "x"],
  ["a: |+\n  x", "x"],
  ["a: >\n  x\n  y", "x y"],
  ["a: |\n  x\n", "x\n"],
  ["a: |\n  x\n  ", "x\n"],
  ["a: !!binary aGVsbG8=\n", "hello"],
  ['a: "\\\\/"\n', "\\/"],
])("%j is read as the real server does", (text, value) => {
  expect(parseGoYAML(text)).toEqual({ a: value });
});

test.each([
  ['b: 1\na: "x\\/y"\n', "yaml: line 2: found unknown escape character"],
  ['a: !!binary "%%"\n', "yaml: !!binary value contains invalid base64 data"],
])("%j is refused as the real server does", (text, message) => {
  expect(() => parseGoYAML(text)).toThrow(message);
});
