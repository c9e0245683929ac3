import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { rewriteLinks } from "./proxied-pages.ts";

async function rewrite(...chunks: readonly string[]): Promise<string> {
  const page = rewriteLinks("/proxy");
  for (const chunk of chunks) page.write(chunk);
  page.end();
  return (await buffer(page)).toString();
}

test.each([
  [`<a href="/x">test</a>`, `<a href="/proxy/x">test</a>`],
  [`<IMG class='a' SRC = '/ü.png'>`, `<IMG class='a' SRC = '/proxy/ü.png'>`],
  [`<a href="//other/x"><a href="x"><a href="https://other/x">`, undefined],
  [`if (a < b) href="/x" > c`, undefined],
  ["an end <a href=", undefined],
])("%s", async (page, expected = page) => {
  expect(await rewrite(page)).toBe(expected);
});

test("a tag may come in parts", async () => {
  const bytes = Buffer.from("é<a hr");
  expect(await rewrite(bytes.toString(), `ef="/`, `x">é`)).toBe(`é<a href="/proxy/x">é`);
});
