import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { remember } from "../../../src/shared/known-facts.ts";

/** A step of a journal, with what is staged for it. */
interface LeftStep {
  readonly path: string;
  /** Default: the file is to be deleted. */
  readonly content?: string;
  /** Its staged file was moved already. */
  readonly isDone?: boolean;
}

/** Leaves in a project what a command leaves that is killed after its journal; `own` is false for what came with a clone. */
export function leavePlan(root: string, left: readonly LeftStep[], { own = true } = {}): void {
  mkdirSync(join(root, ".tsbuilder/stage"), { recursive: true });
  const steps = left.map(({ path, content, isDone }, i) => {
    if (content === undefined) return { path };
    const staged = `.tsbuilder/stage/${i}`;
    if (!isDone) writeFileSync(join(root, staged), content, { mode: 0o755 });
    return { path, staged, hash: createHash("sha256").update(content).digest("hex") };
  });
  const text = JSON.stringify({ steps });
  writeFileSync(join(root, ".tsbuilder/stage/journal.json"), text);
  if (own) remember(["journal", realpathSync(root), text]);
}
