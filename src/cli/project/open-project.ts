// The project that a command works on: finding and locking it, finding a kind in it, running the generators, and
// applying or showing a plan. Begin here: `openToChange` is how every command that writes begins, `applyOrShow` how it
// ends.

import type { Project } from "../../project/project.ts";
import { findProjectRoot, parseProject, projectFile } from "../../project/store.ts";
import { discardHint, findUnfinished, recoverPlan } from "../../scaffold/apply.ts";
import { diskTree, type Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { sentence } from "../../shared/text.ts";
import { findHolder, whileUnchanged, withProjectLock } from "./lock-project.ts";
import type { Ui } from "../reporting/ui.ts";

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
