import { formatCall, runTool, type ToolCall } from "../../ship/tool.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { parseJson } from "../../shared/read-json.ts";
import type { Ui } from "../ui.ts";
import { isSameUpgrade } from "./commit-upgrade.ts";
import { askGit, git } from "../git.ts";
import { aimOfCommit, currentBranch, hasUpgrade, isSameAim, readAim } from "./upgrade-trailer.ts";

/** Points a branch to an upgrade. One with commits of others is refused; an upgrade that was not merged is replaced. */
export function setBranch(root: string, branch: string, commit: string): string {
  if (!isBranchName(root, branch)) {
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

/**
 * Pushes a branch to `origin`, unless others have committed to it there. Returns its commit, that of `origin` if it has
 * the same upgrade.
 */
export function pushBranch(root: string, branch: string, commit: string): string {
  const hint = `the upgrade is in the branch "${branch}"; to try again: git push origin ${branch}`;
  const ref = `refs/heads/${branch}`;
  const [present = ""] = git(root, ["ls-remote", "origin", ref], { hint }).split("\t");
  if (present !== "") git(root, ["fetch", "--quiet", "--no-tags", "origin", ref], { hint });
  const chosen = choose(root, `origin/${branch}`, commit, present === "" ? undefined : present);
  if (chosen !== commit) git(root, ["branch", "--force", branch, chosen]);
  if (chosen === present) return chosen;
  const lease = `--force-with-lease=${ref}:${present}`;
  git(root, ["push", "--quiet", lease, "origin", `${chosen}:${ref}`], { hint });
  return chosen;
}

/** git itself would take `@{-1}` for the branch before. */
function isBranchName(root: string, name: string): boolean {
  if (name.startsWith("-") || name === "HEAD") return false;
  return askGit(root, ["check-ref-format", `refs/heads/${name}`]) !== undefined;
}

/** The upgrade that is already there, if it is the same: another commit would start all checks again. */
function choose(root: string, branch: string, commit: string, present: string | undefined): string {
  if (present === undefined) return commit;
  const aim = readAim(root);
  const found = aimOfCommit(root, present);
  if (isSameAim(found, aim)) return isSameUpgrade(root, present, commit) ? present : commit;
  if (isMerged(root, present)) return commit;
  const what = found
    ? `has the upgrade of "${found.folder}" for the branch "${found.onto}"`
    : "exists, and its last commit is not an upgrade by tsbuilder";
  throw new TsbuilderError(`the branch "${branch}" ${what}`, {
    code: "ALREADY_EXISTS",
    hint: found
      ? "use another name: --branch NAME"
      : `merge it into "${aim.onto}", delete it, or use another name: --branch NAME`,
  });
}

/** Whether the current branch has an earlier upgrade, and what others added to it, such as resolved conflicts. */
function isMerged(root: string, present: string): boolean {
  const isAncestor = askGit(root, ["merge-base", "--is-ancestor", present, "HEAD"]) !== undefined;
  return isAncestor && hasUpgrade(root, present);
}

interface PullRequest {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

/** A branch of a fork may have the same name. */
interface ListedPullRequest {
  readonly url: string;
  readonly isCrossRepository: boolean;
}

/**
 * Opens the pull request of a branch, or brings its text up to date. Returns its URL; undefined if `gh` prints none,
 * and without `gh`, whose command is then printed.
 */
export async function openPullRequest(
  root: string,
  { branch, title, body }: PullRequest,
  ui: Ui,
): Promise<string | undefined> {
  const base = currentBranch(root);
  const onto = base === undefined ? [] : ["--base", base];
  const texts = ["--title", title, "--body-file", "-"];
  const create = ["pr", "create", "--head", branch, ...onto, ...texts];
  const gh = async (...args: string[]): Promise<string> =>
    (await runTool({ tool: "gh", args, cwd: root, input: body })).stdout.trim();
  try {
    const open = ["--state", "open", "--json", "url,isCrossRepository"];
    const list = ["pr", "list", "--head", branch, ...onto, ...open];
    const listed = readListed(await gh(...list), { tool: "gh", args: list });
    const url = listed.find(({ isCrossRepository }) => !isCrossRepository)?.url;
    if (url === undefined) {
      const created = (await gh(...create)).split("\n").findLast((line) => line.startsWith("https://"));
      if (created === undefined) ui.print(`gh opened the pull request of ${branch}, and printed no URL`);
      return created;
    }
    await gh("pr", "edit", url, ...texts);
    return url;
  } catch (error) {
    if (!(error instanceof TsbuilderError) || error.code !== "TOOL_MISSING") throw error;
    const call: ToolCall = { tool: "gh", args: create.slice(0, -2) };
    ui.print(`gh is not installed; the branch is pushed. To open the pull request: ${formatCall(call)}`);
    return undefined;
  }
}

/** Without output, none is open: `gh pr create` itself refuses a second one. */
function readListed(output: string, call: ToolCall): readonly ListedPullRequest[] {
  const listed = parseJson(output || "[]");
  if (Array.isArray(listed)) return listed as ListedPullRequest[];
  throw new TsbuilderError(`gh pr list did not print a JSON list:\n${output}`, {
    code: "TOOL_FAILED",
    hint: `the branch is pushed; for details, run: ${formatCall(call)}`,
  });
}
