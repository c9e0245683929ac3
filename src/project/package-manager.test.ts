import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageManagerOf } from "./package-manager.ts";

test.each([
  [[], "npm install", "npm ci"],
  [["package-lock.json"], "npm install", "npm ci"],
  [["pnpm-lock.yaml"], "pnpm install", "pnpm install --frozen-lockfile"],
  [["yarn.lock"], "yarn install", "yarn install --frozen-lockfile"],
  [["bun.lock"], "bun install", "bun install --frozen-lockfile"],
  [["bun.lockb"], "bun install", "bun install --frozen-lockfile"],
  [["pnpm-lock.yaml", "package-lock.json"], "npm install", "npm ci"],
])("a project with the lock files %j is installed by %s, or by %s", (files, install, installLocked) => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-manager-"));
  for (const file of files) writeFileSync(join(root, file), "");
  expect(packageManagerOf(root)).toMatchObject({ install, installLocked });
  rmSync(root, { recursive: true });
});

test("a lock file of Yarn 2 or later is known by what it says", () => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-manager-"));
  writeFileSync(join(root, "yarn.lock"), "__metadata:\n  version: 8\n");
  expect(packageManagerOf(root).installLocked).toBe("yarn install --immutable");
  rmSync(root, { recursive: true });
});
