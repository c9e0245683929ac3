import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";
import { lockedVersions, readLock } from "../../packaging/check-lock.ts";
import type { PackageManager } from "../../project/package-manager.ts";
import { npm, packageManagerOf, workspaceOf, yarn1 } from "../../project/package-manager.ts";
import { packagesOf } from "../../plugins/typescript/reference-templates.ts";
import { featurePackages, type Project } from "../../project/project.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import { withPlainLineEnds } from "../../shared/text.ts";
import type { VendorPackages } from "./vendor-packages.ts";
import { readManifest, sections } from "./manifest.ts";
import { updateLock } from "./install-dependencies.ts";

/**
 * Returns the lock file of a new project, by its path. A member of a workspace has none, since the workspace has one; the packages
 * of features are in no lock file of ours: the package manager adds them to that of the project.
 */
export function scaffoldLock(
  root: string,
  project: Project,
  { lock }: VendorPackages,
  manager: PackageManager = packageManagerOf(root),
): ReadonlyMap<string, string> {
  const hasMore = Object.keys(featurePackages(project)).length > 0;
  const isLockable = manager !== yarn1 && workspaceOf(root) === undefined && !hasMore;
  const further = Object.keys(packagesOf(project));
  const text = isLockable ? lock?.(manager.name, project.projectName, further) : undefined;
  return new Map(text === undefined ? [] : [[manager.lockFiles[0], text]]);
}

/** Replaces a lock file that tsbuilder wrote, unless the user added or moved packages. Returns whether it was replaced. */
export function replaceLock(
  draft: Draft,
  base: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, string>,
  { lockFiles: [lockFile, ...olderFiles] }: PackageManager,
): boolean {
  const text = next.get(lockFile);
  if (text === undefined || olderFiles.some((file) => draft.has(file))) return false;
  if (!haveSameDependencies(draft.read("package.json"), next.get("package.json"))) return false;
  const present = draft.read(lockFile);
  const scaffolded = base.get(lockFile);
  // An older tsbuilder wrote no lock file: an existing one is the package manager's, with the user's choices.
  const isUnchanged =
    scaffolded === undefined
      ? present === undefined
      : present !== undefined && readVersions(present) === readVersions(scaffolded);
  if (isUnchanged) draft.write(lockFile, text, "generated");
  return isUnchanged;
}

/**
 * Explains that the user's package manager has to update a lock file with packages of the user's own: the project's, or
 * that of the workspace whose folder is given.
 */
export function explainLock(
  draft: Draft,
  { name, lockFiles, install }: PackageManager,
  workspace?: string,
): string[] {
  const own = lockFiles.find((file) => draft.has(file));
  const shared = lockFiles.find((file) => workspace !== undefined && existsSync(join(workspace, file)));
  const lockFile = own ?? (shared && join(workspace!, shared));
  if (lockFile === undefined) return [];
  return [
    `"${lockFile}" has other packages than those that tsbuilder was tested with: ${install} adds what is new to it, and ${name} leaves the rest as it is`,
  ];
}

/** Returns the versions in npm's lock file, or another manager's text without hashes: Yarn adds some that we can't know. */
function readVersions(text: string): string {
  const lock = readLock(text);
  return lock === undefined
    ? withPlainLineEnds(text).replaceAll(/^ +checksum: .*\n/gmu, "")
    : lockedVersions(lock);
}

function haveSameDependencies(present: string | undefined, scaffolded: string | undefined): boolean {
  const [presentLines, scaffoldedLines] = [present, scaffolded].map((text) => {
    const manifest = readManifest(text ?? "");
    return sections.flatMap((section) =>
      Object.entries(manifest?.[section] ?? {})
        .map(([name, specifier]) => `${section} ${name} ${specifier}`)
        .toSorted(compareText),
    );
  });
  return presentLines!.join("\n") === scaffoldedLines!.join("\n");
}

/**
 * Has npm update the lock file of a changed project, in a temporary folder with `package.json`, the present lock file
 * and `vendor/`. Returns its text; undefined for a project without a lock file of npm's.
 */
export function lockPackages(
  root: string,
  tree: Tree,
  vendored: ReadonlyMap<string, Uint8Array>,
): string | undefined {
  const [lockFile] = npm.lockFiles;
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
