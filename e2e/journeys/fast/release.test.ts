import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packRelease } from "../../lab/release/pack-release.ts";
import { repository } from "../../support/source-imports.ts";

const page = "https://github.com/example/tsbuilder";
const release = packRelease(repository, "9.9.9", page);

test("what was built is fit for a registry, and within its size budgets", () => {
  expect(release.problems.join("\n")).toBe("");
});

test("a release is packed in the order of its dependencies, and to the same bytes each time", () => {
  expect(release.packages.map(({ name }) => name)).toEqual([
    "@tsbuilder/apimachinery",
    "@tsbuilder/runtime",
    "@tsbuilder/cluster",
    "@tsbuilder/simulation",
    "tsbuilder",
    "create-tsbuilder",
  ]);
  const sums = ({ files }: typeof release): string => Buffer.from(files.get("SHA256SUMS")!).toString();
  expect(sums(packRelease(repository, "9.9.9", page))).toBe(sums(release));
});

test("the page of dev weighs at most 45 kB as browsers get it", () => {
  const folder = join(repository, "dist/cli/page");
  const files = readdirSync(folder);
  // page.html is sent as it is.
  const sent = files.filter((file) => !files.includes(`${file}.br`));
  expect(sent.toSorted()).toEqual(["page.css.br", "page.html", "page.js.br"]);
  expect(sent.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)).toBeLessThan(45_000);
});
