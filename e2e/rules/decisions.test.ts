import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../support/source-imports.ts";

const folder = join(repository, "src/decisions");
const pages = readdirSync(folder).filter((name) => name !== "README.md");
const list = readFileSync(join(folder, "README.md"), "utf8");

test("the list of decisions names each page once, and no other", () => {
  const linked = [...list.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]!);
  expect(linked.toSorted()).toEqual(pages.toSorted());
});

describe.each(pages)("%s", (page) => {
  const text = readFileSync(join(folder, page), "utf8");

  test("contains the decision, the alternatives, the price, and what would change it", () => {
    const bold = [...text.matchAll(/^\*\*([^*]+?)\.?\*\*/gm)].map((match) => match[1]!);
    const asked = ["Decision", "Weighed", "The price", "What would change our mind"];
    expect(asked.filter((part) => !bold.includes(part))).toEqual([]);
  });
});
