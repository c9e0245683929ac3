import { describe, expect, test } from "vitest";
import { code, prose, renderPage, sentence, table } from "./markdown.ts";

describe("Markdown of made pages", () => {
  test("a page has front matter, a title and its blocks", () => {
    expect(renderPage({ title: "Errors", order: 4, body: ["One.", "Two."] })).toBe(
      "---\ntitle: Errors\norder: 4\n---\n\n# Errors\n\nOne.\n\nTwo.\n",
    );
  });

  test("a cell stays one cell on one line", () => {
    expect(table(["a", "b"], [["x | y", "one\ntwo"]])).toBe(
      "| a | b |\n| --- | --- |\n| x \\| y | one two |",
    );
  });

  test("text is neither Markdown nor HTML nor a template, and its flags are code", () => {
    expect(prose("use --make=false with <file> or a_b*, not {{ x }}")).toBe(
      "use `--make=false` with \\<file\\> or a\\_b\\*, not <span v-pre>{{</span> x <span v-pre>}}</span>",
    );
  });

  test("code may contain backticks", () => {
    expect(code("a")).toBe("`a`");
    expect(code("a `b`")).toBe("`` a `b` ``");
  });

  test("a sentence begins with a capital and ends once", () => {
    expect([sentence("show help"), sentence("really?")]).toEqual(["Show help.", "Really?"]);
  });
});
