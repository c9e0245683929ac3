import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../e2e/support/source-imports.ts";

test("README.md shows the test that is scaffolded", () => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const [, path = "", shown] = /^```ts \[(.+?)\]\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(readFileSync(join(repository, "e2e/golden/mysql-operator", path), "utf8")).toContain(shown);
});
