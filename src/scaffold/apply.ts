import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { trace } from "../shared/trace.ts";
import type { FileChange } from "./file-change.ts";
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
    rmSync(join(root, stageFolder), { recursive: true, force: true });
    if (!hadFolder) rmSync(join(root, stateFolder), { recursive: true, force: true });
    throw error;
  }
  complete(root);
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
    complete(root);
    return "completed";
  }
  if (!isUnfinished(root)) return undefined;
  rmSync(join(root, stageFolder), { recursive: true, force: true });
  removeIfEmpty(join(root, stateFolder));
  return "undone";
}

const stateFolder = ".tsbuilder";
const stageFolder = ".tsbuilder/stage";
const journal = ".tsbuilder/stage/journal.json";

/** A remaining step: a staged file to move to a path, or a path to delete. */
interface Step {
  readonly path: string;
  readonly staged: string | undefined;
}

function stage(root: string, changes: readonly FileChange[]): void {
  mkdirSync(join(root, stageFolder), { recursive: true });
  const steps = changes.map(({ path, content }, i): Step => {
    if (content === undefined) return { path, staged: undefined };
    const staged = `${stageFolder}/${i}`;
    writeFileSync(join(root, staged), content, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
    return { path, staged };
  });
  writeWhole(join(root, journal), JSON.stringify({ steps }));
}

/** The file is written completely, or not at all. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

/** Every step is idempotent: after its rename, a staged file no longer exists. */
function complete(root: string): void {
  const { steps } = JSON.parse(readFileSync(join(root, journal), "utf8")) as { steps: Step[] };
  // The journal may come from an untrusted repository.
  refuseOutside(root, [journal, ...steps.flatMap(({ path, staged }) => [path, staged ?? path])]);
  for (const { path, staged } of steps) {
    const target = join(root, path);
    if (staged === undefined) {
      rmSync(target, { force: true });
      removeEmptyParents(root, target);
    } else if (existsSync(join(root, staged))) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(root, staged), target);
    }
  }
  rmSync(join(root, stageFolder), { recursive: true, force: true });
}

/** A plan is based on the files as they were read; the user may have saved one since. */
function refuseStaleChanges(root: string, changes: readonly FileChange[]): void {
  for (const { path, before, action } of changes) {
    const file = join(root, path);
    const isStale =
      action === "create"
        ? existsSync(file)
        : before !== undefined &&
          (!existsSync(file) || hashText(readFileSync(file, "utf8")) !== hashText(before));
    if (!isStale) continue;
    throw new TsbuilderError(`"${path}" changed while the command was running`, {
      code: "FILE_CHANGED",
      hint: "run the command again; nothing was written",
    });
  }
}

function removeEmptyParents(root: string, file: string): void {
  for (let folder = dirname(file); folder.length > root.length; folder = dirname(folder)) {
    if (!removeIfEmpty(folder)) return;
  }
}

function removeIfEmpty(folder: string): boolean {
  if (existsSync(folder) && readdirSync(folder).length > 0) return false;
  if (existsSync(folder)) rmdirSync(folder);
  return true;
}
