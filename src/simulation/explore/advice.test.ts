import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../../e2e/support/source-imports.ts";
import { advice, docs } from "./advice.ts";

/** The anchors of a page's headings, as they are made of their words. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

test.each(Object.entries(docs))("what is said of %s is in the book", (name, link) => {
  const [address = "", anchor] = link.replace("https://tsbuilder.dev/", "src/").split("#");
  const page = join(repository, address.replace(/\.html$/u, ".md"));
  expect(existsSync(page)).toBe(true);
  expect(anchorsOf(page)).toEqual(expect.arrayContaining(anchor === undefined ? [] : [anchor]));
  expect(readFileSync(join(repository, "src/book/guides/simulation.md"), "utf8")).toContain(`\`${name}\``);
  expect(advice).toHaveProperty([name]);
});
