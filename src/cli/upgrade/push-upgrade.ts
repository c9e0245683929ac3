import { formatCall, runTool, type ToolCall } from "../../ship/tool.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Ui } from "../ui.ts";
import { isSameUpgrade, isUpgradeCommit } from "./commit-upgrade.ts";
import { askGit, git } from "./git.ts";

/** Points a branch to an upgrade. One with commits of others is refused; an upgrade that was not merged is replaced. */
export function setBranch(root: string, branch: string, commit: string): string {
  if (askGit(root, ["check-ref-format", "--branch", branch]) === undefined) {
    throw new TsbuilderError(`"${branch}" can't be the name of a branch`, {
      code: "INVALID_ARGUMENT",
      hint: "use another name: --branch NAME",
    });
  }
  const ref = `refs/heads/${branch}`;
  const present = askGit(root, ["rev-parse", "--verify", "--quiet", ref]);
  const chosen = choose(root, branch, commit, present);
  if (chosen !== present) git(root, ["branch", "--force", branch, chosen]);
  return chosen;
}

/** Pushes a branch to `origin`, unless others have committed to it there. */
export function pushBranch(root: string, branch: string, commit: string): void {
  const ref = `refs/heads/${branch}`;
  const [present = ""] = git(root, ["ls-remote", "origin", ref]).split("\t");
  if (present !== "") git(root, ["fetch", "--quiet", "--no-tags", "origin", ref]);
  const chosen = choose(root, `origin/${branch}`, commit, present === "" ? undefined : present);
  if (chosen === present) return;
  git(root, ["push", "--quiet", `--force-with-lease=${ref}:${present}`, "origin", `${commit}:${ref}`]);
}

/** The upgrade that is already there, if it is the same: another commit would start all checks again. */
function choose(root: string, branch: string, commit: string, present: string | undefined): string {
  if (present === undefined) return commit;
  if (isUpgradeCommit(root, present)) return isSameUpgrade(root, present, commit) ? present : commit;
  throw new TsbuilderError(
    `the branch "${branch}" exists, and its last commit is not an upgrade by tsbuilder`,
    {
      code: "ALREADY_EXISTS",
      hint: "merge or delete the branch first, or use another name: --branch NAME",
    },
  );
}

interface PullRequest {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

/**
 * Opens the pull request of a branch, or brings its text up to date. Returns its URL; undefined without `gh`, whose
 * command is then printed.
 */
export async function openPullRequest(
  root: string,
  { branch, title, body }: PullRequest,
  ui: Ui,
): Promise<string | undefined> {
  const base = askGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const texts = ["--title", title, "--body-file", "-"];
  const create = [
    "pr",
    "create",
    "--head",
    branch,
    ...(base === undefined ? [] : ["--base", base]),
    ...texts,
  ];
  const gh = async (...args: string[]): Promise<string> =>
    (await runTool({ tool: "gh", args, cwd: root, input: body })).stdout.trim();
  try {
    const open = await gh(
      "pr",
      "list",
      "--head",
      branch,
      "--state",
      "open",
      "--json",
      "url",
      "--jq",
      ".[].url",
    );
    if (open === "") return (await gh(...create)).split("\n").at(-1);
    const url = open.split("\n")[0]!;
    await gh("pr", "edit", url, ...texts);
    return url;
  } catch (error) {
    if (!(error instanceof TsbuilderError) || error.code !== "TOOL_MISSING") throw error;
    const call: ToolCall = { tool: "gh", args: create.slice(0, -2) };
    ui.print(`gh is not installed; the branch is pushed. To open the pull request: ${formatCall(call)}`);
    return undefined;
  }
}
