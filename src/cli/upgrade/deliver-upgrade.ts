import { refuseOutside } from "../../scaffold/refuse-outside.ts";
import { shownChanges } from "../report.ts";
import type { Ui } from "../ui.ts";
import { commitUpgrade } from "./commit-upgrade.ts";
import { describeConflicts, describePullRequest } from "./describe-upgrade.ts";
import { git } from "./git.ts";
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
  const { from, to, plan, marked } = upgrade;
  const paths = plan.changes.map(({ path }) => path);
  refuseOutside(root, paths);
  const title = message ?? `Upgrade from tsbuilder ${from} to ${to}`;
  const { before, after } = upgrade;
  const made = commitUpgrade({
    root,
    from,
    to,
    before: [...before].map(([path, content]) => ({ path, content })),
    after,
    changes: plan.changes,
    message: title,
  });
  const described = { from, to, notes: plan.notes, marked };
  const commit = branch === undefined ? made : setBranch(root, branch, made);
  if (branch === undefined) git(root, ["merge", "--ff-only", "--quiet", made]);
  if (branch !== undefined && push) pushBranch(root, branch, commit);
  const [subject = ""] = title.split("\n");
  const url =
    branch !== undefined && pullRequest
      ? await openPullRequest(root, { branch, title: subject, body: describePullRequest(described) }, ui)
      : undefined;
  const changes = shownChanges(plan).map(({ action, path }) => ({ action, path }));
  ui.add?.({
    changes,
    written: branch === undefined,
    upgrade: {
      from,
      to,
      commit,
      conflicts: marked,
      ...(branch && { branch }),
      ...(url && { pullRequest: url }),
    },
  });
  for (const line of [...plan.notes, ...describeConflicts(described)]) ui.print(line);
  if (url !== undefined) ui.print(`The pull request: ${url}`);
  if (branch === undefined) return true;
  const next = marked.length === 0 ? "" : "; resolve its conflicts there, tsbuilder doctor finds them";
  ui.print(`The upgrade to version ${to} is in the branch "${branch}"${next}.`);
  return false;
}
