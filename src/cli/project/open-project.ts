// The project that a command works on: opening it, and applying or showing a plan. Begin here: every command that writes
// begins with `openToChange` and ends with `applyOrShow`.
import type { Project } from "../../project/project.ts";
import { findProjectRoot, parseProject, projectFile } from "../../project/store.ts";
import { applyPlan, discardHint, findUnfinished, recoverPlan, refuseOutside } from "../../scaffold/apply.ts";
import { Draft, type Plan, type Tree, diskTree, formatUnifiedDiff } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { sentence } from "../../shared/text.ts";
import { type Ui, describePlan, shownChanges } from "../reporting/report.ts";
import { type FlagDefinition, flag } from "../arguments/command.ts";
import { findLockHolder, withFreeLock, withProjectLock } from "./lock-project.ts";

/** A project on disk, opened by a command. */
export interface OpenProject {
  readonly root: string;
  readonly tree: Tree;
  readonly project: Project;
  /** The text of `PROJECT`, to keep its comments and unknown keys. */
  readonly text: string;
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

/** An invocation of a command that changes files. */
interface ChangingCall {
  readonly name: string;
  readonly cwd: string;
  readonly ui: Ui;
  readonly flags: PlanFlags;
}

/** Runs work while holding the project's lock, so that files don't change under it. Takes no lock if the plan is only shown. */
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

/** Returns whether a command only shows its plan, so that it must not write, nor run code of the project. */
export function isShown(flags: { readonly "dry-run": boolean; readonly diff?: boolean }): boolean {
  return flags["dry-run"] || flags.diff === true;
}

/**
 * Opens the project that contains a folder, for a command that acts on it. First completes or undoes the changes of an
 * interrupted command. Throws if there is no project, or if another command is changing it after an interruption.
 */
export function openProject(cwd: string, ui: Ui): OpenProject {
  const root = requireRoot(cwd);
  if (findUnfinished(root) !== undefined) withFreeLock(root, () => recoverProject(root, ui));
  return readOpenProject(root);
}

/** Opens the project around a folder for a command that only reads; notes unfinished changes of an interrupted command. */
export function viewProject(cwd: string, ui: Pick<Ui, "note">): OpenProject {
  const root = requireRoot(cwd);
  const unfinished = describeUnfinished(root);
  if (unfinished !== undefined) ui.note(`${sentence(unfinished.message)} ${sentence(unfinished.remedy)}`);
  return readOpenProject(root);
}

/** Opens the project for a command that may only show its plan. */
export function openOrView(cwd: string, ui: Ui, flags: { "dry-run": boolean; diff?: boolean }): OpenProject {
  return isShown(flags) ? viewProject(cwd, ui) : openProject(cwd, ui);
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

/** Describes the unfinished changes of a project, and what finishes them; undefined if there are none. */
export function describeUnfinished(root: string): { message: string; remedy: string } | undefined {
  const unfinished = findUnfinished(root);
  if (unfinished === undefined) return undefined;
  const holder = findLockHolder(root);
  if (holder !== undefined)
    return { message: `${holder} is changing this project`, remedy: "wait for it to finish" };
  const remedy = {
    staged: "the next command that writes completes its changes: tsbuilder manifests",
    incomplete:
      "it changed nothing, and the next command that writes deletes what it left: tsbuilder manifests",
    foreign: discardHint,
  }[unfinished];
  const message =
    unfinished === "foreign"
      ? "the changes in .tsbuilder/stage are not yours: tsbuilder did not write them on this machine, or there is no folder to remember it in, and makes none of them"
      : "a previous command was interrupted";
  return { message, remedy };
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
