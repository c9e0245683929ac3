import { expect, test } from "vitest";
import { markdownCode, markdownText, tableCell } from "./markdown.ts";

test.each([
  ["a <script>alert(1)</script>", "a &lt;script>alert(1)&lt;/script>"],
  ["<!-- hidden -->", "&lt;!-- hidden -->"],
  ["`<b>` and ``<c> ` <d>``", "`<b>` and ``<c> ` <d>``"],
  ["a ` b <i>", "a \\` b &lt;i>"],
  ["\\`<b>`", "\\`&lt;b>\\`"],
  ["\\\\<script>", "\\\\&lt;script>"],
  ["\\\\\\<script>", "\\\\\\<script>"],
  ["\\\\`<b>`", "\\\\`<b>`"],
  ["see <https://example.com/a>", "see <https://example.com/a>"],
  ["```\nname: <name> `\n```\n<b>", "```\nname: <name> `\n```\n&lt;b>"],
  ["- a\n  ```\n  <a>\n  ```", "- a\n  ```\n  <a>\n  ```"],
  ["- a\n  ```\n<script>\n  ```", "- a\n  \\`\\`\\`\n&lt;script>\n  \\`\\`\\`"],
  ["~~~\n```\n~~~\n<b>\n```", "~~~\n```\n~~~\n&lt;b>\n\\`\\`\\`"],
  ["```\n<b>", "\\`\\`\\`\n&lt;b>"],
  ["open `\n`<b>`", "open \\`\n`<b>`"],
  ["``a`<b>", "\\`\\`a\\`&lt;b>"],
  ["```yaml\na: 1\n```", "```yaml\na: 1\n```"],
  ["**bold**, [link](https://example.com), a > b", "**bold**, [link](https://example.com), a > b"],
])("markdownText(%j) is %j", (text, markdown) => {
  expect(markdownText(text)).toBe(markdown);
});

test.each([
  ["a<b>", "`a<b>`"],
  ["^`+$", "``^`+$``"],
  ["`", "`` ` ``"],
  ["a\n  b", "`a b`"],
])("markdownCode(%j) is %j", (value, markdown) => {
  expect(markdownCode(value)).toBe(markdown);
});

test("tableCell() escapes bars and joins lines", () => {
  expect(tableCell("a | b\n  c")).toBe("a \\| b c");
});
