import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { npm } from "../../project/package-manager.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { updateLock } from "./install-dependencies.ts";

export const [lockFile] = npm.lockFiles;

/**
 * The lock file of npm for a changed project, made in another folder from `package.json`, the present lock file and
 * `vendor/`. Undefined for projects without one.
 */
export function lockPackages(
  root: string,
  tree: Tree,
  vendored: ReadonlyMap<string, Uint8Array>,
): string | undefined {
  const lock = tree.read(lockFile);
  if (lock === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-lock-"));
  try {
    if (existsSync(join(root, "vendor")))
      cpSync(join(root, "vendor"), join(folder, "vendor"), { recursive: true });
    const files = {
      "package.json": tree.read("package.json"),
      ".npmrc": tree.read(".npmrc"),
      [lockFile]: lock,
    };
    for (const [path, content] of [...Object.entries(files), ...vendored]) {
      if (content === undefined) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    updateLock(folder);
    return readFileSync(join(folder, lockFile), "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
