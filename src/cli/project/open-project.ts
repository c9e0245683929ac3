// The project that a command works on: finding and locking it, finding a kind in it, running the generators, and
// applying or showing a plan. Begin here: `openToChange` is how every command that writes begins, `applyOrShow` how it
// ends.
import { join } from "node:path";
import { type LockHolder, readLock, tryLock } from "@tsbuilder/apimachinery/lock";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import type { Project } from "../../project/project.ts";
import { findProjectRoot, parseProject, projectFile } from "../../project/store.ts";
import {
  applyPlan,
  discardHint,
  findUnfinished,
  openStateFolder,
  recoverPlan,
  refuseOutside,
  removeStateFolder,
  stateFolder,
} from "../../scaffold/apply.ts";
import { Draft, type Plan, type Tree, diskTree, formatUnifiedDiff } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { sentence } from "../../shared/text.ts";
import { type Ui, describePlan, shownChanges } from "../reporting/report.ts";
import { type FlagDefinition, flag } from "../arguments/command.ts";
import { atFile } from "../../shared/files.ts";

/** A project on disk, opened by a command. */
export interface OpenProject {
  readonly root: string;
  readonly tree: Tree;
  readonly project: Project;
  /** The text of `PROJECT`, to keep its comments and unknown keys. */
  readonly text: string;
}

/**
 * Opens the project that contains a folder, for a command that acts on it. First completes or undoes the changes of an
 * interrupted command.
 */
export function openProject(cwd: string, ui: Ui): OpenProject {
  const root = requireRoot(cwd);
  if (findUnfinished(root) !== undefined) whileUnchanged(root, () => recoverProject(root, ui));
  return readOpenProject(root);
}

/**
 * Opens the project that contains a folder, for a command that only reads. Writes nothing; notes unfinished changes of
 * an interrupted command.
 */
export function viewProject(cwd: string, ui: Pick<Ui, "note">): OpenProject {
  const root = requireRoot(cwd);
  const unfinished = describeUnfinished(root);
  if (unfinished !== undefined) ui.note(`${sentence(unfinished.message)} ${sentence(unfinished.remedy)}`);
  return readOpenProject(root);
}

/** Returns whether a command only shows its plan, so that it must not write, nor run code of the project. */
export function isShown(flags: { readonly "dry-run": boolean; readonly diff?: boolean }): boolean {
  return flags["dry-run"] || flags.diff === true;
}

/** Opens the project for a command that may only show its plan. */
export function openOrView(cwd: string, ui: Ui, flags: { "dry-run": boolean; diff?: boolean }): OpenProject {
  return isShown(flags) ? viewProject(cwd, ui) : openProject(cwd, ui);
}

/** The unfinished changes of a project, and the command that finishes them. */
export function describeUnfinished(root: string): { message: string; remedy: string } | undefined {
  const found = findUnfinished(root);
  const holder = found === undefined ? undefined : findHolder(root);
  if (found === undefined) return undefined;
  if (holder !== undefined)
    return { message: `${holder} is changing this project`, remedy: "wait for it to finish" };
  const remedy = {
    staged: "the next command that writes completes its changes: tsbuilder manifests",
    incomplete:
      "it changed nothing, and the next command that writes deletes what it left: tsbuilder manifests",
    foreign: discardHint,
  }[found];
  const message =
    found === "foreign"
      ? "the changes in .tsbuilder/stage are not yours: tsbuilder did not write them on this machine, or there is no folder to remember it in, and makes none of them"
      : "a previous command was interrupted";
  return { message, remedy };
}

/** An invocation of a command that changes files. */
interface ChangingCall {
  readonly name: string;
  readonly cwd: string;
  readonly ui: Ui;
  readonly flags: { readonly "dry-run": boolean; readonly diff: boolean };
}

/**
 * Runs work on the project while holding its lock, so that the files it reads are the same when it writes. Takes no
 * lock if the command only shows its plan.
 */
export async function openToChange<T>(
  { name, cwd, ui, flags }: ChangingCall,
  work: (project: OpenProject) => Promise<T>,
): Promise<T> {
  if (isShown(flags)) return work(viewProject(cwd, ui));
  const root = requireRoot(cwd);
  return withProjectLock(root, { name, note: (text) => ui.note(text) }, async () => {
    recoverProject(root, ui);
    return work(readOpenProject(root));
  });
}

/** The command that wants to change a project. */
interface Caller {
  /** The command as typed after `tsbuilder`. */
  readonly name: string;
  readonly note: (text: string) => void;
  readonly clock?: Clock;
}

/**
 * Holds the project's lock while work reads `PROJECT`, plans and writes. Waits at most half a minute for each holder.
 */
export async function withProjectLock<T>(root: string, caller: Caller, work: () => Promise<T>): Promise<T> {
  const release = await waitForLock(root, caller);
  try {
    return await work();
  } finally {
    release();
  }
}

/** Runs short work under the project's lock; throws if another command holds it. */
function whileUnchanged<T>(root: string, work: () => T): T {
  const lock = tryProjectLock(root, "");
  if (lock.heldBy) throw inUse(lock.heldBy);
  try {
    return work();
  } finally {
    lock.release();
  }
}

const lockFile = "lock";

/** The command that holds the project's lock, if one is running. */
function findHolder(root: string): string | undefined {
  const holder = readLock(join(root, stateFolder, lockFile));
  return holder && describe(holder);
}

const patience = 30_000;

const worthSaying = 1_000;

const pause = 30;

async function waitForLock(root: string, { name, note, clock = systemClock }: Caller): Promise<() => void> {
  let waitsFor: { readonly pid: number; readonly since: number; isSaid: boolean } | undefined;
  for (;;) {
    const lock = tryProjectLock(root, `tsbuilder ${name}`);
    if (!lock.heldBy) return lock.release;
    const { pid } = lock.heldBy;
    if (waitsFor?.pid !== pid) waitsFor = { pid, since: clock.monotonic(), isSaid: false };
    const waited = clock.monotonic() - waitsFor.since;
    if (waited >= patience) throw inUse(lock.heldBy);
    if (waited >= worthSaying && !waitsFor.isSaid) {
      note(`Waiting for ${describe(lock.heldBy)}.`);
      waitsFor.isSaid = true;
    }
    await new Promise<void>((resolve) => void clock.setTimer(resolve, pause));
  }
}

function tryProjectLock(root: string, purpose: string): ReturnType<typeof tryLock> {
  for (;;) {
    try {
      const file = join(openStateFolder(root), lockFile);
      const lock = atFile(file, () => tryLock(file, purpose));
      if (lock.heldBy) return lock;
      return {
        release() {
          lock.release();
          removeStateFolder(root);
        },
      };
    } catch (error) {
      // A command that failed before there was a project removed its folder.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function inUse(holder: LockHolder): TsbuilderError {
  return new TsbuilderError(`another command is changing this project: ${describe(holder)}`, {
    code: "REFUSED",
    hint: `wait for it to finish, or stop it: kill ${holder.pid}; its changes are then completed or rolled back`,
  });
}

function describe({ pid, purpose }: LockHolder): string {
  return `${purpose || "tsbuilder"} (process ${pid})`;
}

/** Applies or shows what work changes in a draft of the project. The work returns notes for the user. */
export async function changeFiles(
  call: ChangingCall,
  work: (draft: Draft, project: OpenProject) => Promise<readonly string[]>,
): Promise<void> {
  await openToChange(call, async (project) => {
    const draft = new Draft(project.tree);
    const notes = await work(draft, project);
    applyOrShow(project.root, { changes: draft.changes(), notes }, call.flags, call.ui);
  });
}

function requireRoot(cwd: string): string {
  const root = findProjectRoot(cwd);
  if (root !== undefined) return root;
  throw new TsbuilderError(`no PROJECT file in "${cwd}" or its parent folders`, {
    code: "NOT_A_PROJECT",
    hint: "change to a project's folder, or initialize one: tsbuilder init --domain example.com",
  });
}

function readOpenProject(root: string): OpenProject {
  const tree = diskTree(root);
  const { project, text } = parseProject(tree.read(projectFile)!);
  return { root, tree, project, text };
}

/** Completes or undoes the changes of an interrupted command. The caller holds the project's lock. */
export function recoverProject(root: string, ui: Ui): void {
  const outcome = recoverPlan(root);
  if (outcome === "completed")
    ui.note("A previous command was interrupted; its changes have been completed.");
  if (outcome === "undone") ui.note("A previous command was interrupted before it changed anything.");
}

/** The flags of every command that writes files. */
export const planFlags = {
  "dry-run": flag.switch("print the files that would be written, without writing them"),
  diff: flag.switch("print the changes as a diff, without writing them"),
} as const satisfies Record<string, FlagDefinition>;

interface PlanFlags {
  readonly "dry-run": boolean;
  readonly diff: boolean;
}

/** Applies a plan, or only shows it. Returns whether the plan was applied. */
export function applyOrShow(root: string, plan: Plan, flags: PlanFlags, ui: Ui): boolean {
  refuseOutside(
    root,
    plan.changes.map(({ path }) => path),
  );
  const changes = shownChanges(plan).map(({ action, path }) => ({ action, path }));
  if (flags.diff) {
    ui.add?.({ changes, written: false });
    ui.print(shownChanges(plan).map(formatUnifiedDiff).join("").trimEnd());
    return false;
  }
  // Applies before it lists: if that fails, no file is listed.
  if (!flags["dry-run"]) applyPlan(root, plan.changes);
  ui.add?.({ changes, written: !flags["dry-run"] });
  for (const line of describePlan(plan, { isComplete: flags["dry-run"] })) ui.print(line);
  if (flags["dry-run"]) ui.note("Nothing was written (--dry-run).");
  return !flags["dry-run"];
}
