import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageManagerOf, placeInRepository, workspaceOf } from "./package-manager.ts";

test.each([
  [[], "npm install", "npm ci"],
  [["package-lock.json"], "npm install", "npm ci"],
  [["pnpm-lock.yaml"], "pnpm install", "pnpm install --frozen-lockfile"],
  [["yarn.lock"], "yarn install", "yarn install --immutable"],
  [["bun.lock"], "bun install", "bun install --frozen-lockfile"],
  [["bun.lockb"], "bun install", "bun install --frozen-lockfile"],
  [["pnpm-lock.yaml", "package-lock.json"], "npm install", "npm ci"],
])("a project with the lock files %j is installed by %s, or by %s", (files, install, installLocked) => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-manager-"));
  for (const file of files) writeFileSync(join(root, file), "");
  expect(packageManagerOf(root)).toMatchObject({ install, installLocked });
  rmSync(root, { recursive: true });
});

test.each([
  ["# yarn lockfile v1\n", "yarn install --frozen-lockfile"],
  ["__metadata:\n  version: 8\n", "yarn install --immutable"],
])("a lock file of Yarn 1 is known by what it says: %j", (text, installLocked) => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-manager-"));
  writeFileSync(join(root, "yarn.lock"), text);
  expect(packageManagerOf(root).installLocked).toBe(installLocked);
  rmSync(root, { recursive: true });
});

test.each([
  ["package.json", '{"workspaces":["packages/*"]}', "packages/shop", true],
  ["package.json", '{"workspaces":["./packages/*/"]}', "packages/shop", true],
  ["package.json", '{"workspaces":["**"]}', "packages/shop", true],
  ["package.json", '{"workspaces":{"packages":["packages/s*"]}}', "packages/shop", true],
  ["package.json", '{"workspaces":["packages/*"]}', "packages/team/shop", false],
  ["package.json", '{"workspaces":["packages/t*"]}', "packages/shop", false],
  ["package.json", '{"workspaces":"packages/*"}', "packages/shop", false],
  ["package.json", "[]", "packages/shop", false],
  ["pnpm-workspace.yaml", "packages: ['packages/**']", "packages/team/shop", true],
  ["pnpm-workspace.yaml", ": no YAML :", "packages/shop", false],
  ["package.json", `{"workspaces":["${"**/".repeat(500)}other"]}`, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p", false],
])("%s with %s has the member %s: %s", (file, text, member, isMember) => {
  const above = mkdtempSync(join(tmpdir(), "tsbuilder-workspace-"));
  const root = join(above, member);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(above, file), text);
  writeFileSync(join(above, "pnpm-lock.yaml"), "");
  expect(workspaceOf(root)).toBe(isMember ? above : undefined);
  expect(packageManagerOf(root).name).toBe(isMember ? "pnpm" : "npm");
  rmSync(above, { recursive: true });
});

test.each([
  ["home/code", "home/code/shop", "shop"],
  ["home/code/shop", "home/code/shop", undefined],
  ["other", "home/code/shop", undefined],
  // Settings are tracked there.
  ["home", "home/code/shop", undefined],
  ["home", "home", undefined],
  ["", "home/code/shop", undefined],
  ["", "code/shop", "code/shop"],
])("with a repository in %j, %s has the place %s", (repository, project, place) => {
  const above = mkdtempSync(join(tmpdir(), "tsbuilder-place-"));
  const root = join(above, project);
  mkdirSync(root, { recursive: true });
  mkdirSync(join(above, "home"), { recursive: true });
  mkdirSync(join(above, repository, ".git"), { recursive: true });
  symlinkSync(join(above, "home"), join(above, "link"));
  for (const home of ["home", "link"]) expect(placeInRepository(root, join(above, home))).toBe(place);
  rmSync(above, { recursive: true });
});
