// `tsbuilder upgrade` brings a project to the running version. This file plans it in memory: what the project's own
// tsbuilder scaffolds is the base, what this one scaffolds is merged. `commit-upgrade.ts` makes commits of it,
// `deliver-upgrade.ts` branches and pull requests.

import { existsSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { listVendored } from "../../packaging/vendor.ts";
import {
  npm,
  type PackageManager,
  packageManagerOf,
  placeInRepository,
} from "../../project/package-manager.ts";
import { formatProject, projectFile } from "../../project/store.ts";
import { Draft, type FileChange, type Plan, memoryTree } from "../../scaffold/tree.ts";
import { OwnedFiles, ownedFile } from "../../scaffold/owned-files.ts";
import { type ConflictChoice, type FileConflict, planUpgrade } from "../../scaffold/plan-upgrade.ts";
import type { Host } from "../packages/host.ts";
import type { VendorPackages } from "../packages/vendor-packages.ts";
import type { OpenProject } from "../project/open-project.ts";
import { explainLock, lockPackages, replaceLock, scaffoldLock } from "../packages/lock-file.ts";
import { readManifest, restoreSpecifiers, sections } from "../packages/manifest.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isInside } from "../../shared/files.ts";
import type { Project } from "../../project/project.ts";
import { planProjectChange, readHeader } from "../../plugins/plan-project.ts";

/** An upgrade of a project, computed in memory. */
export interface ProjectUpgrade {
  readonly from: string;
  readonly to: string;
  readonly plan: Plan;
  /** The conflicts that are marked in files. */
  readonly marked: readonly FileConflict[];
  /** The files that each version scaffolds. */
  readonly before: ReadonlyMap<string, string>;
  readonly after: readonly FileChange[];
}

interface UpgradeSettings {
  readonly onConflict: ConflictChoice;
  /** Files and folders that the upgrade leaves alone, except for `PROJECT` and tsbuilder's packages in `vendor/`. */
  readonly restored: readonly string[];
  /** Run the generators. */
  readonly make: boolean;
  /** Update the lock file here, since npm install won't run in the project. */
  readonly lock: boolean;
  /** The plan is only shown. */
  readonly isShown?: boolean;
}

const manifestFile = "package.json";

/** Plans the upgrade to the running version; undefined if the project and its plugins are up to date. */
export async function planProjectUpgrade(
  opened: OpenProject,
  host: Host,
  { onConflict, restored, make, lock, isShown = false }: UpgradeSettings,
): Promise<ProjectUpgrade | undefined> {
  const { root, tree, project, text } = opened;
  const to = host.version();
  if (project.cliVersion === to && !(await haveOtherPlugins(opened))) return undefined;
  const upgraded = { ...project, cliVersion: to };
  const vendor = await host.vendorPackages();
  const before = await host.baseline(root, project.cliVersion, { isShown });
  const after = await planFresh(opened, upgraded, vendor);
  const isRestored = readRestored(root, restored, after);
  const manager = packageManagerOf(root);
  const [lockFile] = manager.lockFiles;
  const isMerged = (path: string): boolean => ![projectFile, lockFile].includes(path) && !isRestored(path);
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  if (isMerged(manifestFile)) restoreManifest(draft, before.get(manifestFile));
  const { notes, marked } = planUpgrade(draft, {
    base: new Map([...before].filter(([path]) => isMerged(path))),
    next: after.filter(({ path }) => isMerged(path)),
    owned,
    onConflict,
    name: `tsbuilder ${to}`,
  });
  const removed = explainRemoved(tree.read(manifestFile) ?? "", draft.read(manifestFile) ?? "", manager);
  replaceVendored(draft, listVendored(root), vendor);
  draft.write(projectFile, formatProject(upgraded, text), "generated");
  const generated = make ? await planGeneratedUnless(marked, draft) : [];
  const isLocked =
    (!isRestored(lockFile) && replaceLock(draft, before, textsOf(after), manager)) ||
    (lock && planLock(root, draft, vendor));
  for (const { path } of draft.changes())
    if (isRestored(path) && path !== projectFile && !vendor.files.has(path)) draft.undo(path);
  owned.record(draft);
  const locked = isLocked ? [] : explainLock(draft, manager);
  const plan = { changes: draft.changes(), notes: [...notes, ...removed, ...generated, ...locked] };
  return { from: project.cliVersion, to, plan, marked, before, after };
}

async function haveOtherPlugins({ project, tree, root }: OpenProject): Promise<boolean> {
  if (project.plugins.length === 0) return false;
  const { haveOtherVersions } = await import("../../plugins/contributed/plan-plugins.ts");
  return haveOtherVersions(project, tree, root);
}

/**
 * Returns all files that a project's description scaffolds into an empty folder, with the license header of
 * an existing project. Runs its plugins, or replays the contributions that the project has recorded: then nothing of the
 * project's is run.
 */
export async function planFresh(
  { root, tree }: OpenProject,
  project: Project,
  vendor: VendorPackages,
  { plugins = "run" }: { readonly plugins?: "run" | "replay" } = {},
): Promise<readonly FileChange[]> {
  const boilerplate = readHeader(tree);
  const { changes } = await planProjectChange({
    folder: root,
    tree: memoryTree(),
    before: undefined,
    after: project,
    packages: vendor.packages,
    manager: packageManagerOf(root),
    place: placeInRepository(root),
    extraFiles: scaffoldLock(root, project, vendor),
    existing: { tree, plugins },
    ...(boilerplate === undefined ? {} : { boilerplate }),
  });
  return changes.filter(({ path }) => path !== ownedFile);
}

/** Returns a predicate for files that an upgrade leaves alone. Throws for a path that the project and the new version lack. */
function readRestored(
  root: string,
  restored: readonly string[],
  after: readonly FileChange[],
): (path: string) => boolean {
  const paths = restored.map((path) => posix.normalize(path.split(sep).join("/")).replace(/\/$/u, ""));
  const unknown = paths.findIndex(
    (path) => !isInProject(root, path) && !after.some((change) => isBelow(change.path, path)),
  );
  if (unknown !== -1) {
    throw new TsbuilderError(`no file of the project is at or below "${restored[unknown]}"`, {
      code: "INVALID_ARGUMENT",
      hint: "--restore-path takes files and folders, relative to the folder of PROJECT",
    });
  }
  return (path) => paths.some((folder) => isBelow(path, folder));
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function isInProject(root: string, path: string): boolean {
  const file = join(root, path);
  return path !== "." && isInside(root, file) && existsSync(file);
}

function restoreManifest(draft: Draft, scaffolded: string | undefined): void {
  const text = draft.read(manifestFile);
  if (text === undefined || scaffolded === undefined) return;
  const restored = restoreSpecifiers(text, scaffolded);
  if (restored !== text) draft.write(manifestFile, restored, "yours");
}

/** Returns a note for each package that an upgrade removes: a script, a hook or a workflow of the user's may run it. */
export function explainRemoved(before: string, after: string, manager: PackageManager): string[] {
  const [from, to] = [readManifest(before), readManifest(after)];
  if (from === undefined || to === undefined) return [];
  const remaining = new Set(sections.flatMap((section) => Object.keys(to[section] ?? {})));
  return sections.flatMap((section) =>
    Object.entries(from[section] ?? {})
      .filter(([name]) => !remaining.has(name))
      .map(
        ([name, version]) =>
          `package.json: removed "${name}", which new projects no longer use; if you do, ${section === "dependencies" ? manager.add : manager.addForDevelopment} ${name}@${version}`,
      ),
  );
}

function replaceVendored(draft: Draft, before: readonly string[], { files }: VendorPackages): void {
  for (const path of before) if (!files.has(path)) draft.remove(path);
  for (const [path, bytes] of files) if (!draft.has(path)) draft.write(path, bytes, "generated");
}

/** Runs the generators, unless a source has conflicts, which can't be parsed. */
async function planGeneratedUnless(marked: readonly FileConflict[], draft: Draft): Promise<string[]> {
  const broken = marked.find(({ path }) => path.endsWith(".ts"));
  if (broken)
    return [
      `nothing was generated, since "${broken.path}" has conflicts: resolve them, then npm run generate`,
    ];
  const { planGenerated } = await import("../project/plan-generated.ts");
  return planGenerated(draft);
}

/** Returns the texts of files, by path. */
export const textsOf = (files: readonly FileChange[]): ReadonlyMap<string, string> =>
  new Map(files.flatMap(({ path, content }) => (typeof content === "string" ? [[path, content]] : [])));

/** Has npm update its lock file; returns whether there is one. */
function planLock(root: string, draft: Draft, { files }: VendorPackages): boolean {
  const lock = lockPackages(root, draft, files);
  if (lock !== undefined) draft.write(npm.lockFiles[0], lock, "generated");
  return lock !== undefined;
}
