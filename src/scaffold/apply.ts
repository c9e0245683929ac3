import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isObject } from "@tsbuilder/apimachinery/json";
import { join } from "node:path";
import { atFile } from "../shared/at-file.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { readJsonObject } from "../shared/read-json.ts";
import { trace } from "../shared/trace.ts";
import type { FileChange } from "./file-change.ts";
import { completeStep, removeEmptyBelow, removeIfEmpty, type Step, undoStep } from "./complete-steps.ts";
import { hashText } from "./ownership.ts";
import { refuseOutside } from "./refuse-outside.ts";

/**
 * Applies a plan, all or nothing. First all files are staged in `.tsbuilder/`, then a journal marks the staging as
 * complete, and only then files are renamed into place. A process that dies before the journal has changed nothing;
 * after it, the next command completes the plan (`recoverPlan`). There is no fsync: it would take longer than
 * everything else, and version control recovers from a power loss.
 */
export function applyPlan(root: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  refuseOutside(root, [journal, ...changes.map(({ path }) => path)]);
  recoverPlan(root);
  refuseStaleChanges(root, changes);
  const hadFolder = existsSync(join(root, stateFolder));
  try {
    stage(root, changes);
  } catch (error) {
    removeStage(root);
    if (!hadFolder) rmSync(join(root, stateFolder), { recursive: true, force: true });
    throw error;
  }
  completeOrUndo(root);
  for (const { action, path } of changes) trace(`${action} ${join(root, path)}`);
}

/** Returns whether a command is writing to the project, or was interrupted while it did. */
export function isUnfinished(root: string): boolean {
  return existsSync(join(root, stageFolder));
}

/**
 * Completes a plan that was fully staged before an interruption, or deletes incomplete staging. The caller, like that
 * of applyPlan, holds the project's lock, so that what is staged belongs to a process that no longer exists.
 */
export function recoverPlan(root: string): "completed" | "undone" | undefined {
  if (existsSync(join(root, journal))) {
    for (const step of readJournal(root)) completeStep(root, step);
    removeStage(root);
    return "completed";
  }
  if (!isUnfinished(root)) return undefined;
  removeStage(root);
  removeIfEmpty(join(root, stateFolder));
  return "undone";
}

const stateFolder = ".tsbuilder";
const stageFolder = ".tsbuilder/stage";
const journal = ".tsbuilder/stage/journal.json";

function stage(root: string, changes: readonly FileChange[]): void {
  mkdirSync(join(root, stageFolder), { recursive: true });
  const steps = changes.map(({ path, content }, i): Step => {
    const target = join(root, path);
    const old = existsSync(target) ? `${stageFolder}/${i}.old` : undefined;
    if (old !== undefined) atFile(target, () => copyFileSync(target, join(root, old)));
    if (content === undefined) return { path, staged: undefined, old };
    const staged = `${stageFolder}/${i}`;
    const mode = old === undefined ? modeOf(path) : statSync(target).mode;
    atFile(target, () => writeFileSync(join(root, staged), content, { mode }));
    return { path, staged, old };
  });
  writeWhole(join(root, journal), JSON.stringify({ steps }));
}

const modeOf = (path: string): number => (path.endsWith(".sh") ? 0o755 : 0o644);

/** The file is written completely, or not at all. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

/** Completes all steps; if one fails, those before it are undone. */
function completeOrUndo(root: string): void {
  const steps = readJournal(root);
  const made: (string | undefined)[] = [];
  try {
    for (const step of steps) made.push(completeStep(root, step));
  } catch (error) {
    for (const step of steps.toReversed()) undoStep(root, step);
    for (const folder of made) if (folder !== undefined) removeEmptyBelow(folder);
    removeStage(root);
    throw error;
  }
  removeStage(root);
}

function removeStage(root: string): void {
  rmSync(join(root, stageFolder), { recursive: true, force: true });
}

function readJournal(root: string): Step[] {
  const hint = `delete ${stageFolder}, and compare the project with version control`;
  const { steps } = readJsonObject(journal, readFileSync(join(root, journal), "utf8"), hint);
  if (!Array.isArray(steps) || !steps.every(isStep)) {
    throw new TsbuilderError(`"${journal}" lists no steps`, { code: "INVALID_PROJECT", hint });
  }
  // The journal may come from an untrusted repository.
  const paths = steps.flatMap(({ path, staged = path, old = path }) => [path, staged, old]);
  refuseOutside(root, [journal, ...paths]);
  return steps;
}

function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false;
  const { path, staged, old } = value;
  return (
    typeof path === "string" && [staged, old].every((one) => ["string", "undefined"].includes(typeof one))
  );
}

/** A plan is based on the files as they were read; the user may have saved one since. */
function refuseStaleChanges(root: string, changes: readonly FileChange[]): void {
  for (const { path, before, action } of changes) {
    const file = join(root, path);
    const isStale =
      action === "create"
        ? existsSync(file)
        : before !== undefined &&
          (!existsSync(file) ||
            hashText(atFile(file, () => readFileSync(file, "utf8"))) !== hashText(before));
    if (!isStale) continue;
    throw new TsbuilderError(`"${path}" changed while the command was running`, {
      code: "FILE_CHANGED",
      hint: "run the command again; nothing was written",
    });
  }
}
