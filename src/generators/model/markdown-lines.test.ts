import { expect, test } from "vitest";
import { runExample } from "../testdata/example.ts";
import { type MarkdownLine, readMarkdownLines } from "./markdown.ts";

const letters: Record<MarkdownLine, string> = { text: "t", fence: "f", code: "c" };

test.each([
  ["no code", "a\nb", "tt"],
  ["a block", "a\n```yaml\nb\n```\nc", "tfcft"],
  ["an empty block", "```\n```", "ff"],
  ["blocks one below the other", "```\na\n```\n~~~\nb\n~~~", "fcffcf"],
  ["other fences within a block", "````\n```\n~~~\n````", "fccf"],
  ["a closing fence with words behind it", "```\na\n```ts\n```", "fccf"],
  ["a longer closing fence", "```\na\n`````", "fcf"],
  ["a block within an item of a list", "- a\n  ```\n  b\n  ```", "tfcf"],
  ["code that is indented less than its fence", "  ```\na\n  ```", "ttt"],
  ["a code span of three backticks", "```a``` b\n@c", "tt"],
  ["a fence that nothing closes", "```\na\nb", "ttt"],
])("readMarkdownLines() reads %s", (_, text, kinds) => {
  const found = readMarkdownLines(text.split("\n"));
  expect(found.map((kind) => letters[kind]).join("")).toBe(kinds);
});

/** The schema of a string field below a comment. */
async function readField(lines: readonly string[]) {
  const comment = ["/**", ...lines.map((line) => ` * ${line}`), " */"].join("\n");
  const { spec, diagnostics } = await runExample(`${comment}\nfield?: string;\n`);
  expect(diagnostics).toEqual([]);
  return spec?.properties?.["field"];
}

test.each([
  ["below a fence that nothing closes", ["```", "A name."]],
  ["below a block with other fences in it", ["````", "```", "````"]],
  ["below a code span of three backticks", ["```a``` is a name."]],
  ["below a block within a list", ["- so:", "  ```", "  a", "  ```"]],
])("a tag %s counts", async (_, above) => {
  const field = await readField([...above, "@minLength 3"]);
  expect(field).toMatchObject({ minLength: 3, description: above.join("\n") });
});

test.each([
  ["a longer block", ["````", "```", "@minLength 3", "```", "````"]],
  ["a block of tildes with backticks in it", ["~~~", "```", "@minLength 3", "~~~"]],
  ["a block with a fence that has words behind it", ["```", "```ts", "@minLength 3", "```"]],
  ["a block within a list", ["- so:", "  ```", "  @minLength 3", "  ```"]],
])("a tag in %s is code", async (_, lines) => {
  const field = await readField(lines);
  expect(field).toMatchObject({ type: "string", description: lines.join("\n") });
  expect(field).not.toHaveProperty("minLength");
});

test("TODO, dashes and links are code in a code block only", async () => {
  const block = ["````", "```", "TODO", "---", "{@link Case}", "````"];
  expect((await readField([...block, "{@link Case}", "TODO no text"]))?.description).toBe(
    [...block, "Case"].join("\n"),
  );
  expect((await readField(["```a``` b", "{@link Case}", "---", "hidden"]))?.description).toBe(
    "```a``` b\nCase",
  );
});
