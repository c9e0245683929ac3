import { expect, test } from "vitest";
import { markdownCode, markdownText, tableCell } from "./markdown.ts";

test.each([
  ["a <script>alert(1)</script>", "a &lt;script>alert(1)&lt;/script>"],
  ["<!-- hidden -->", "&lt;!-- hidden -->"],
  ["`a` and ``b ` c``", "`a` and ``b ` c``"],
  ["`<b>` and ``<c> ` d``", "<code>&#60;b&#62;</code> and <code>&#60;c&#62; &#96; d</code>"],
  ["[a](`) <b> `c", "[a](<code>&#41; &#60;b&#62; </code>c"],
  ["[`a](b) `<script>`", "[`a](b) `&lt;script>\\`"],
  ["`a | b`", "<code>a &#124; b</code>"],
  ["a ` b <i>", "a \\` b &lt;i>"],
  ["\\`<b>`", "\\`&lt;b>\\`"],
  ["\\\\<script>", "\\\\&lt;script>"],
  ["\\\\\\<script>", "\\\\&lt;script>"],
  ["\\\\`<b>`", "\\\\<code>&#60;b&#62;</code>"],
  ["see <https://example.com/a>", "see <https://example.com/a>"],
  ["```\nname: <name> `\n```\n<b>", "```\nname: <name> `\n```\n&lt;b>"],
  ["- a\n  ```\n  <a>\n  ```", "- a\n  ```\n  <a>\n  ```"],
  ["- a\n  ```\n<script>\n  ```", "- a\n  \\`\\`\\`\n&lt;script>\n  \\`\\`\\`"],
  ["~~~\n```\n~~~\n<b>\n```", "~~~\n```\n~~~\n&lt;b>\n\\`\\`\\`"],
  ["```\n<b>", "\\`\\`\\`\n&lt;b>"],
  ["open `\n`<b>`", "open \\`\n<code>&#60;b&#62;</code>"],
  ["``a`<b>", "\\`\\`a\\`&lt;b>"],
  ["```yaml\na: 1\n```", "```yaml\na: 1\n```"],
  ["**bold**, [link](https://example.com), a > b", "**bold**, [link](https://example.com), a > b"],
])("markdownText(%j) is %j", (text, markdown) => {
  expect(markdownText(text)).toBe(markdown);
});

test.each([
  ["a<b>", "<code>a&#60;b&#62;</code>"],
  ["^(a\\|b)$", "<code>&#94;&#40;a&#92;&#124;b&#41;&#36;</code>"],
  ["^`+$", "``^`+$``"],
  ["`", "`` ` ``"],
  ["a\n  b", "`a b`"],
])("markdownCode(%j) is %j", (value, markdown) => {
  expect(markdownCode(value)).toBe(markdown);
});

test("tableCell() escapes bars and joins lines", () => {
  expect(tableCell("a | b\n  c")).toBe("a \\| b c");
  expect(tableCell("a \\| b \\\\| c")).toBe("a \\| b \\\\\\| c");
});
