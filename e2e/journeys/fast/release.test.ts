import { expect, test } from "vitest";
import { packRelease } from "../../../src/packaging/release/pack-release.ts";
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
