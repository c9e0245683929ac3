import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { goProject, writeFiles } from "../../support/operators/go-project.ts";
import { usePackedTsbuilder } from "../../support/registries/packed-tsbuilder.ts";
import { run } from "../../support/shell.ts";

const packed = usePackedTsbuilder();

test("an imported Go project installs, compiles, lints, and passes its tests at once", async () => {
  const { work } = packed();
  writeFiles(join(work, "shop-go"), goProject);
  mkdirSync(join(work, "shop"));
  const shop = packed().shell("shop");
  const { stdout } = await run(shop, "tsbuilder", "import", "../shop-go", "--skip-install");
  expect(stdout).toContain("CRDs, roles and webhooks are equal");
  await run(shop, "npm", "ci");
  const tests = await run(shop, "npm", "test");
  expect(tests.stdout).toMatch(/Test Files .*3 passed/u);
  await run(shop, "npm", "run", "lint");
  // The manifests are those of the types.
  await run(shop, "npx", "--no-install", "tsbuilder", "manifests", "--check");
});
