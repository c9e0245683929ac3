import { describe, expect, test } from "vitest";
import { Anchors, code, prose, renderPage, table } from "./markdown.ts";

describe("Markdown of made pages", () => {
  test("a page has front matter, a title and its blocks", () => {
    expect(renderPage({ title: "Errors", order: 4, body: ["One.", "Two."] })).toBe(
      '---\ntitle: "Errors"\norder: 4\n---\n\n# Errors\n\nOne.\n\nTwo.\n',
    );
  });

  test("Vue computes nothing that stands in double braces", () => {
    const body = ["`a={{b,<c>}}`", "```yaml\n`{{ x }}`\n```"];
    expect(renderPage({ title: "Errors", order: 4, body })).toContain(
      "\n\n`a={{b,<c>}}`{v-pre}\n\n```yaml\n`{{ x }}`\n```\n",
    );
  });

  test("a cell stays one cell on one line", () => {
    expect(table(["a", "b"], [["x | y", "one\ntwo"]])).toBe(
      "| a | b |\n| --- | --- |\n| x \\| y | one two |",
    );
  });

  test("text is neither Markdown nor HTML, and its flags and templates are code", () => {
    expect(prose("use --make=false with <file> or a_b*, not {{ x }}")).toBe(
      "use `--make=false` with \\<file\\> or a\\_b\\*, not `{{ x }}`",
    );
  });

  test("commands with their flags and what stands in backticks are code", () => {
    expect(prose("tsbuilder COMMAND --help lists, tsbuilder doctor not; as with `T | null`")).toBe(
      "`tsbuilder COMMAND --help` lists, tsbuilder doctor not; as with `T | null`",
    );
  });

  test("code may contain backticks", () => {
    expect(code("a")).toBe("`a`");
    expect(code("a `b`")).toBe("`` a `b` ``");
  });

  test("anchors of equal headings are numbered", () => {
    const anchors = new Anchors();
    expect(["`+k8s:maximum`", "Time", "time"].map((heading) => anchors.add(heading))).toEqual([
      "k8s-maximum",
      "time",
      "time-1",
    ]);
  });
});
