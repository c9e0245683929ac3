import { refuseOutside } from "../../scaffold/refuse-outside.ts";
import { shownChanges } from "../report.ts";
import type { Ui } from "../ui.ts";
import { commitUpgrade } from "./commit-upgrade.ts";
import { describeConflicts, describePullRequest } from "./describe-upgrade.ts";
import { git } from "../git.ts";
import { withoutIgnored } from "./ignored-files.ts";
import type { ProjectUpgrade } from "./plan-project-upgrade.ts";
import { openPullRequest, pushBranch, setBranch } from "./push-upgrade.ts";

interface Delivery {
  /** Undefined for the current branch. */
  readonly branch: string | undefined;
  readonly push: boolean;
  readonly pullRequest: boolean;
  readonly message: string | undefined;
  readonly ui: Ui;
}

/**
 * Commits an upgrade, then moves or makes the branch, and pushes it. Until the commit is complete, nothing that the user
 * sees has changed. Returns whether the files of the user's own branch changed.
 */
export async function deliverUpgrade(
  root: string,
  upgrade: ProjectUpgrade,
  { branch, push, pullRequest, message, ui }: Delivery,
): Promise<boolean> {
  const { from, to, plan, marked, before, after } = upgrade;
  const { kept, ignored } = withoutIgnored(root, plan.changes);
  refuseOutside(
    root,
    kept.map(({ path }) => path),
  );
  const title = message ?? `Upgrade from tsbuilder ${from} to ${to}`;
  const made = commitUpgrade({
    root,
    from,
    to,
    before: [...before].map(([path, content]) => ({ path, content })),
    after,
    changes: kept,
    message: title,
  });
  const leftOut = ignored.map((path) => `left out, since git ignores it: ${path}`);
  const described = { from, to, notes: [...plan.notes, ...leftOut], marked };
  const changes = shownChanges({ changes: kept }).map(({ action, path }) => ({ action, path }));
  const report = (commit: string, more: { readonly branch?: string; readonly pullRequest?: string }): void =>
    ui.add?.({
      changes,
      written: branch === undefined,
      upgrade: { from, to, commit, conflicts: marked, ...more },
    });
  if (branch === undefined) git(root, [...withoutHooks, "merge", "--ff-only", "--quiet", made]);
  const commit = branch === undefined ? made : setBranch(root, branch, made);
  for (const line of [...described.notes, ...describeConflicts(described)]) ui.print(line);
  report(commit, { ...(branch && { branch }) });
  if (branch === undefined) return true;
  const next = marked.length === 0 ? "" : "; resolve its conflicts there, tsbuilder doctor finds them";
  ui.print(`The upgrade to version ${to} is in the branch "${branch}"${next}.`);
  if (!push) return false;
  const pushed = pushBranch(root, branch, commit);
  report(pushed, { branch });
  if (!pullRequest) return false;
  const [subject = ""] = title.split("\n");
  const body = describePullRequest(described);
  const url = await openPullRequest(root, { branch, title: subject, body }, ui);
  if (url === undefined) return false;
  report(pushed, { branch, pullRequest: url });
  ui.print(`The pull request: ${url}`);
  return false;
}

const withoutHooks = ["-c", "core.hooksPath=/dev/null"];
