import { expect, test } from "vitest";
import { nextPage, readBuiltPage } from "./read-built-page.ts";

const title = (text: string): string => `<p class="file-name">${text}</p>`;
const block = (language: string, code: string): string =>
  `<div class="language-${language} vp-adaptive-theme"><button title="Copy Code" class="copy"></button>` +
  `<span class="lang">${language}</span><pre class="shiki" tabindex="0"><code>${code}</code></pre></div>`;

test("readBuiltPage() finds the blocks of a page, as text, with the names of their files", () => {
  const html = [
    "<h1>A page</h1><p>It has <code>code</code>.</p>",
    block("sh", '<span class="line"><span style="--a:#1">npm</span> test</span>'),
    block(
      "text",
      '<span class="line">2 &lt; 3</span>\n<span class="line"></span>\n<span class="line">&amp;lt;</span>',
    ),
    "<p>Then:</p>",
    title("<code>src/main.ts</code>") + block("ts", "start(&quot;a&quot;);"),
    title("<code>PROJECT</code>, at its end") + block("yaml", "a: &#39;b&#39;"),
  ].join("");
  expect(readBuiltPage("page.html", html)).toEqual([
    { at: "page.html, block 1", language: "sh", append: false, content: "npm test\n", adjacent: false },
    { at: "page.html, block 2", language: "text", append: false, content: "2 < 3\n\n&lt;\n", adjacent: true },
    {
      at: "page.html, block 3",
      language: "ts",
      append: false,
      content: 'start("a");\n',
      adjacent: false,
      path: "src/main.ts",
    },
    {
      at: "page.html, block 4",
      language: "yaml",
      append: true,
      content: "a: 'b'\n",
      adjacent: true,
      path: "PROJECT",
    },
  ]);
});

test("readBuiltPage() refuses an entity that it does not know", () => {
  expect(() => readBuiltPage("page.html", block("sh", "a&nbsp;b"))).toThrow("&nbsp; is not known");
});

test("nextPage() is the address of the link to the next page", () => {
  const link = (kind: string): string =>
    `<a class="VPLink link pager-link ${kind}" href="/book/${kind}.html"><!--[-->`;
  expect(nextPage(link("prev") + link("next"))).toBe("/book/next.html");
  expect(nextPage(link("prev"))).toBe(undefined);
});
