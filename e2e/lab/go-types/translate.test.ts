import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { readPackages } from "./go-module.ts";
import { goFiles, typescriptFiles } from "./small-package.ts";
import { translate } from "./translate.ts";

const isLeftOut = spawnSync("go", ["version"]).status !== 0;
if (isLeftOut) console.log("left out: types of Go in TypeScript: no Go");

function inFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "go-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(goFiles)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe.skipIf(isLeftOut)("a Go package of API types", () => {
  test("becomes the TypeScript that a user would write, from which the generators make its CRD", async () => {
    const root = "example.com/shop/api/v1";
    const written = translate(readPackages(inFolder(), [root]), [root]);
    expect(written).toEqual(typescriptFiles);
    const { changes, diagnostics } = await planManifests(memoryTree(written));
    expect(diagnostics).toEqual([]);
    expect(changes.map(({ path }) => path)).toEqual(["config/crd/bases/example.com_shops.yaml"]);
    expect(changes[0]?.content).toContain("  scope: Cluster\n");
  });
});
