import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scaffoldPacked, usePackedTsbuilder } from "../../support/registries/packed-tsbuilder.ts";
import { run } from "../../support/shell.ts";

const packed = usePackedTsbuilder();

/** One journey in order: each step depends on the previous one. */
test("a project of a packed tsbuilder can be moved, installed by npm ci, and updated to a newer tsbuilder", async () => {
  const project = await scaffoldPacked(packed(), "mysql-operator");
  renameSync(project.folder, join(packed().work, "moved"));
  rmSync(join(packed().work, "moved/node_modules"), { recursive: true });
  const moved = packed().shell("moved");
  await run(moved, "npm", "ci");
  await run(moved, "npm", "test");

  await upgrade("moved");
  await run(moved, "npm", "test");

  expect(packed().registry.asked).toEqual([]);
});

/** Updates a project to a tsbuilder that changes a file that the user changed, too. */
async function upgrade(folder: string): Promise<void> {
  const newer = join(packed().work, "newer");
  cpSync(join(packed().work, "prefix/lib/node_modules/tsbuilder"), newer, { recursive: true });
  change(join(newer, "package.json"), /"version": "[^"]*"/, '"version": "0.2.0"');
  // Templates are compiled into the CLI.
  const scripts = readdirSync(join(newer, "dist/cli"), { withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const { name } of scripts) change(join(newer, "dist/cli", name), "## Developing", "## At work");
  const project = packed().shell(folder);
  const readme = join(project.folder, "README.md");
  change(readme, /$/, "\nMine.\n");
  await run(project, process.execPath, join(newer, "bin/tsbuilder.js"), "upgrade");
  expect(readFileSync(readme, "utf8")).toMatch(/## At work[\s\S]*\nMine\.\n$/);
  const { stdout } = await run(project, "npx", "--no-install", "tsbuilder", "--version");
  expect(stdout).toContain("0.2.0");
}

function change(file: string, from: string | RegExp, to: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}
