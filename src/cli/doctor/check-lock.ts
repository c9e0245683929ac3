import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  isOfNpm6,
  lackingPackages,
  readLock,
  staleTarballs,
  unlockedPackages,
} from "../../packaging/check-lock.ts";
import { npm, packageManagerOf, workspaceOf } from "../../project/package-manager.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { readManifest } from "../upgrade/read-manifest.ts";
import type { Finding } from "./finding.ts";

/** Finds why `npm ci` would refuse the lock file: images and workflows install by it. */
export function checkLock(root: string, tree: Tree): Finding[] {
  const manifest = readManifest(tree.read("package.json") ?? "");
  if (manifest === undefined || packageManagerOf(root) !== npm || workspaceOf(root) !== undefined) return [];
  // npm reads npm-shrinkwrap.json before its own.
  const lockFile = npm.lockFiles.findLast((file) => tree.has(file)) ?? npm.lockFiles[0];
  const refused = (message: string, remedy = "npm install"): Finding => ({
    state: "wrong",
    subject: lockFile,
    message,
    remedy,
  });
  const text = tree.read(lockFile);
  if (text === undefined)
    return [{ ...refused("the file is missing: npm ci, and so the image, needs it"), state: "missing" }];
  if (isOfNpm6(text)) return [];
  const lock = readLock(text);
  if (lock === undefined)
    return [refused("npm can't read it", "restore it from version control, or delete it; then npm install")];
  const unlocked = unlockedPackages(lock, manifest);
  if (unlocked.length > 0)
    return [refused(`npm ci refuses it: it lacks what package.json asks for of ${quoted(unlocked)}`)];
  const lacking = lackingPackages(lock).map(({ name, version, needs }) =>
    refused(
      `npm ci refuses it: it lacks "${needs}", which ${name} ${version} needs`,
      `npm install; if that changes nothing, your registry lacks "${needs}": choose another version of ${name}, by npm install --save-dev ${name}@VERSION`,
    ),
  );
  const stale = staleTarballs(lock, (path) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  }).map(({ path, isThere }) =>
    refused(
      `npm ci refuses it: "${path}" ${isThere ? "has another content than it says" : "is missing"}`,
      `restore "${path}" and "${lockFile}" from version control`,
    ),
  );
  return [...lacking, ...stale];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
