import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../project/project.ts";
import { PROJECT_FILE, parseProject } from "../project/store.ts";
import { recoverPlan } from "../scaffold/apply.ts";
import { diskTree, type Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import type { Ui } from "./ui.ts";

/** A project on disk, as a command finds it. */
export interface OpenProject {
  readonly root: string;
  readonly tree: Tree;
  readonly project: Project;
  /** The text of `PROJECT`, whose comments and unknown keys are kept. */
  readonly text: string;
}

/** Finds the project around a folder, and finishes first what a killed command left half done. */
export function openProject(cwd: string, ui: Ui): OpenProject {
  const root = findProjectRoot(cwd);
  if (root === undefined) {
    throw new TsbuilderError(`there is no PROJECT file in "${cwd}" or above it`, {
      code: "NOT_A_PROJECT",
      hint: "change into a project's folder, or start one: tsbuilder init --domain example.com",
    });
  }
  reportRecovery(recoverPlan(root), ui);
  const tree = diskTree(root);
  const { project, text } = parseProject(tree.read(PROJECT_FILE)!);
  return { root, tree, project, text };
}

/** The nearest folder upwards that has a `PROJECT` file, or had one being written. */
export function findProjectRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (statSync(join(folder, PROJECT_FILE), { throwIfNoEntry: false })?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

export function reportRecovery(outcome: "completed" | "undone" | undefined, ui: Ui): void {
  if (outcome === "completed")
    ui.note("An earlier command was interrupted; its changes have been completed.");
  if (outcome === "undone") ui.note("An earlier command was interrupted before it changed anything.");
}
