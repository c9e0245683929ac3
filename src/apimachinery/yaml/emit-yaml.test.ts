import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { emitYaml, type YamlValue } from "./emit-yaml.ts";

/** Writes a scalar as the value of a short key. */
const scalar = (value: YamlValue): string => emitYaml({ k: value }).slice(3, -1);

describe("emitYaml()", () => {
  it("doesn't indent sequences inside mappings", () => {
    expect(emitYaml({ list: ["a", { b: 1, c: ["d"] }], empty: [], none: {} })).toBe(
      "empty: []\nlist:\n- a\n- b: 1\n  c:\n  - d\nnone: {}\n",
    );
  });

  it("indents sequences inside sequences", () => {
    expect(emitYaml([[1, 2], [["a"]], []])).toBe("- - 1\n  - 2\n- - - a\n- []\n");
  });

  it("leaves out keys without a value", () => {
    expect(emitYaml({ a: undefined, b: null, c: { d: undefined } })).toBe("b: null\nc: {}\n");
  });

  it.each([
    ["text", "text"],
    ["", '""'],
    ["true", '"true"'],
    ["yes", '"yes"'],
    ["on", '"on"'],
    ["y", '"y"'],
    ["~", '"~"'],
    ["124", '"124"'],
    ["1e3", '"1e3"'],
    ["0x1F", '"0x1F"'],
    ["1_000", '"1_000"'],
    [".5", '".5"'],
    ["2024-01-15", '"2024-01-15"'],
    ["2024-13-15", "2024-13-15"],
    ["12:30", '"12:30"'],
    ["1.2.3", "1.2.3"],
    ["100Mi", "100Mi"],
    ["-", "'-'"],
    ["- a", "'- a'"],
    ["-a", "-a"],
    ["*", "'*'"],
    ["{}", "'{}'"],
    ["!has(x)", "'!has(x)'"],
    ["a: b", "'a: b'"],
    ["a:b", "a:b"],
    ["a:", "'a:'"],
    ["a #b", "'a #b'"],
    ["it's", "it's"],
    ["'it's'", "'''it''s'''"],
    [" a", "' a'"],
    ["a ", "'a '"],
    ["---", "'---'"],
    ["tab\there", '"tab\\there"'],
    ["🚀", '"\\U0001F680"'],
    ["Größe", "Größe"],
    ["a\nb", "|-\n  a\n  b"],
    ["a\nb\n", "|\n  a\n  b"],
    ["a\n\n", "|+\n  a\n"],
    [" a\nb", "|2-\n   a\n  b"],
    ["a \nb", '"a \\nb"'],
  ])("writes %j as go-yaml does", (value, expected) => {
    expect(scalar(value)).toBe(expected);
  });

  it("quotes the word of a merge, which go-yaml writes plain and reads back as one", () => {
    expect(emitYaml({ "<<": { a: "<<" } })).toBe('"<<":\n  a: "<<"\n');
  });

  it.each([
    [1, "1"],
    [-0, "0"],
    [0.5, "0.5"],
    [1234567.5, "1.2345675e+06"],
    [0.00001, "1e-05"],
    [1e21, "1e+21"],
    [9007199254740993n, "9007199254740993"],
    [true, "true"],
    [null, "null"],
  ])("writes the number or word %s as go-yaml does", (value, expected) => {
    expect(scalar(value)).toBe(expected);
  });

  it("folds a line at the first single space beyond column 80", () => {
    const words = "word ".repeat(20).trimEnd();
    expect(emitYaml({ k: words })).toBe(`k: ${"word ".repeat(15)}word\n  word word word word\n`);
  });

  it("writes what a YAML 1.1 reader reads back", () => {
    // The reader takes a lone dot for a number, which YAML doesn't.
    const text = fc.string({ unit: "grapheme" }).filter((one) => !/^[-+]?\.$/u.test(one));
    const key = text.filter((one) => one !== "" && one !== "__proto__");
    const { tree } = fc.letrec<{ tree: YamlValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.lorem({ maxCount: 30 }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(parse(emitYaml(value), { version: "1.1" })).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});
