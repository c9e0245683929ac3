import type { Project } from "../project/project.ts";
import { projectFile, parseProject } from "../project/store.ts";
import { isUnfinished, recoverPlan } from "../scaffold/apply.ts";
import { diskTree, type Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { whileUnchanged, withProjectLock } from "./lock-project.ts";
import type { Ui } from "./ui.ts";

/** A project on disk, opened by a command. */
export interface OpenProject {
  readonly root: string;
  readonly tree: Tree;
  readonly project: Project;
  /** The text of `PROJECT`, to keep its comments and unknown keys. */
  readonly text: string;
}

/** Finds the project that contains a folder, to read it. First completes what an interrupted command left. */
export function openProject(cwd: string, ui: Ui): OpenProject {
  const root = requireRoot(cwd);
  if (isUnfinished(root)) whileUnchanged(root, () => recoverProject(root, ui));
  return readOpenProject(root);
}

/** An invocation of a command that changes files. */
interface ChangingCall {
  readonly name: string;
  readonly cwd: string;
  readonly ui: Ui;
  readonly flags: { readonly "dry-run": boolean; readonly diff: boolean };
}

/**
 * Runs work on the project while holding its lock, so that what it reads still holds when it writes. Without the lock
 * if the command only shows its plan.
 */
export async function openToChange<T>(
  { name, cwd, ui, flags }: ChangingCall,
  work: (project: OpenProject) => Promise<T>,
): Promise<T> {
  if (flags["dry-run"] || flags.diff) return work(openProject(cwd, ui));
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

/** Completes what an interrupted command left; the caller holds the project's lock. */
export function recoverProject(root: string, ui: Ui): void {
  const outcome = recoverPlan(root);
  if (outcome === "completed")
    ui.note("A previous command was interrupted; its changes have been completed.");
  if (outcome === "undone") ui.note("A previous command was interrupted before it changed anything.");
}
