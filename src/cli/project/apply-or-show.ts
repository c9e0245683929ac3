import { applyPlan } from "../../scaffold/apply.ts";
import type { Plan } from "../../scaffold/file-change.ts";
import { refuseOutside } from "../../scaffold/refuse-outside.ts";
import { formatUnifiedDiff } from "../../scaffold/unified-diff.ts";
import type { FlagDefinition } from "../arguments/command.ts";
import { describePlan, shownChanges } from "../reporting/report.ts";
import type { Ui } from "../reporting/ui.ts";

/** The flags of every command that writes files. */
export const planFlags = {
  "dry-run": {
    type: "boolean",
    summary: "print the files that would be written, without writing them",
    default: false,
  },
  diff: { type: "boolean", summary: "print the changes as a diff, without writing them", default: false },
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
