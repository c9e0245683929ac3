import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPackedTsbuilder, type PackedTsbuilder, scaffoldPacked } from "../support/packed-tsbuilder.ts";
import { run } from "../support/shell.ts";

let packed: PackedTsbuilder;

beforeAll(async () => {
  packed = await installPackedTsbuilder();
});

afterAll(() => packed?.remove());

test("a packed tsbuilder installs, scaffolds, and requests none of our names from a registry", async () => {
  const project = await scaffoldPacked(packed, "mysql-operator");
  const crd = readFileSync(join(project.folder, "config/crd/bases/apps.example.com_mysqls.yaml"), "utf8");
  expect(crd).toContain("kind: CustomResourceDefinition");
  await run(project, "npm", "test");
  expect(packed.registry.asked).toEqual([]);
});
