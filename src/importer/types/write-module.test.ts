import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { planManifests } from "../../generators/manifests.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { GoModules } from "../go/modules.ts";
import { readPackages } from "../go/read-packages.ts";
import { goFiles, typescriptFiles } from "./small-package.ts";
import { translateTypes } from "./write-module.ts";

function inFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "go-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(goFiles)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("a Go package of API types", () => {
  test("becomes the TypeScript that a user would write, from which the generators make its CRD", async () => {
    const root = "example.com/shop/api/v1";
    const { packages, notes } = readPackages(new GoModules(inFolder()), [root]);
    expect(notes).toEqual([]);
    const folderOf = (path: string): string => `${path === root ? "api" : "types"}/${path}`;
    const layout = { folderOf, roots: [root], hasGroupVersion: () => false };
    const written = Object.fromEntries(translateTypes(packages, layout));
    expect(written).toEqual(typescriptFiles);
    const { changes, diagnostics } = await planManifests(memoryTree(written));
    expect(diagnostics).toEqual([]);
    expect(changes.map(({ path }) => path)).toEqual(["config/crd/bases/example.com_shops.yaml"]);
    expect(changes[0]?.content).toContain("  scope: Cluster\n");
  });
});
