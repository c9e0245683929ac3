import { refuseOutside } from "../../scaffold/apply.ts";
import { type Ui, shownChanges } from "../reporting/report.ts";
import {
  aimOfCommit,
  commitUpgrade,
  currentBranch,
  hasUpgrade,
  isSameAim,
  isSameUpgrade,
  readAim,
} from "./commit-upgrade.ts";
import { askGit, git } from "../project/git.ts";
import type { ProjectUpgrade } from "./plan-upgrade.ts";
import type { FileChange } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { FileConflict } from "../../scaffold/plan-upgrade.ts";
import { type ToolCall, formatCall, runTool } from "../../ship/tool.ts";
import { parseJson } from "../../shared/read-json.ts";

/** How an upgrade reaches the user. */
interface Delivery {
  /** Undefined for the current branch. */
  readonly branch: string | undefined;
  readonly push: boolean;
  readonly pullRequest: boolean;
  /** The message of the commit; undefined for the default. */
  readonly message: string | undefined;
  readonly ui: Ui;
}

/** Hooks are meant for the user's own commits and merges. */
const withoutHooks = ["-c", "core.hooksPath=/dev/null"];

/**
 * Commits an upgrade, then moves or creates the branch, and pushes it. Until the commit is complete, nothing that the
 * user sees has changed. Returns whether files of the user's own branch changed.
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
  const created = commitUpgrade({
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
  // Reported after each step, so that a failed push still reports the commit.
  const report = (commit: string, more: { readonly branch?: string; readonly pullRequest?: string }): void =>
    ui.add?.({
      changes,
      written: branch === undefined,
      upgrade: { from, to, commit, conflicts: marked, ...more },
    });
  if (branch === undefined) git(root, [...withoutHooks, "merge", "--ff-only", "--quiet", created]);
  const commit = branch === undefined ? created : setBranch(root, branch, created);
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

interface CommittedChanges {
  readonly kept: readonly FileChange[];
  /** Paths of changes that git ignores. */
  readonly ignored: readonly string[];
}

/** Omits files that git ignores; throws if npm could not install the project without one. */
function withoutIgnored(root: string, changes: readonly FileChange[]): CommittedChanges {
  const input = changes.map(({ path }) => `${path}\0`).join("");
  const ignoredPaths = new Set(askGit(root, ["check-ignore", "--stdin", "-z"], { input })?.split("\0"));
  const ignored = changes.filter(({ path }) => ignoredPaths.has(path));
  const needed = ignored.find(({ path, content }) => path.startsWith("vendor/") && content !== undefined);
  if (needed) {
    throw new TsbuilderError(`git ignores "${needed.path}", which package.json needs`, {
      code: "REFUSED",
      hint: 'add the lines "!/vendor/" and "!/vendor/*.tgz" to the end of .gitignore, and commit them',
    });
  }
  return {
    kept: changes.filter(({ path }) => !ignoredPaths.has(path)),
    ignored: ignored.map(({ path }) => path),
  };
}

/** Points a branch to an upgrade. Replaces an upgrade that was not merged; throws if the branch has other commits. */
function setBranch(root: string, branch: string, commit: string): string {
  if (!isBranchName(root, branch)) {
    throw new TsbuilderError(`"${branch}" can't be the name of a branch`, {
      code: "INVALID_ARGUMENT",
      hint: "use another name: --branch NAME",
    });
  }
  const ref = `refs/heads/${branch}`;
  const present = askGit(root, ["rev-parse", "--verify", "--quiet", ref]);
  const chosen = commitForBranch(root, branch, commit, present);
  if (chosen !== present) git(root, ["branch", "--force", branch, chosen]);
  return chosen;
}

/** Returns whether git accepts the name of a branch, without its shorthands such as `@{-1}`. */
function isBranchName(root: string, name: string): boolean {
  if (name.startsWith("-") || name === "HEAD") return false;
  return askGit(root, ["check-ref-format", `refs/heads/${name}`]) !== undefined;
}

/**
 * Returns the commit that a branch is to point to: the present one if it is the same upgrade, because a new one would start
 * all checks again, else the new one. Throws if the branch has other commits.
 */
function commitForBranch(root: string, branch: string, commit: string, present: string | undefined): string {
  if (present === undefined) return commit;
  const aim = readAim(root);
  const presentAim = aimOfCommit(root, present);
  if (isSameAim(presentAim, aim)) return isSameUpgrade(root, present, commit) ? present : commit;
  if (isMerged(root, present)) return commit;
  const conflict = presentAim
    ? `has the upgrade of "${presentAim.folder}" for the branch "${presentAim.onto}"`
    : "exists, and its last commit is not an upgrade by tsbuilder";
  throw new TsbuilderError(`the branch "${branch}" ${conflict}`, {
    code: "ALREADY_EXISTS",
    hint: presentAim
      ? "use another name: --branch NAME"
      : `merge it into "${aim.onto}", delete it, or use another name: --branch NAME`,
  });
}

/** Returns whether the current branch contains an earlier upgrade, with the commits of others on top of it. */
function isMerged(root: string, present: string): boolean {
  const isAncestor = askGit(root, ["merge-base", "--is-ancestor", present, "HEAD"]) !== undefined;
  return isAncestor && hasUpgrade(root, present);
}

/** An upgrade in words, for the terminal and for a pull request. */
interface DescribedUpgrade {
  readonly from: string;
  readonly to: string;
  readonly notes: readonly string[];
  readonly marked: readonly FileConflict[];
}

/** Describes each conflict by its place, with both sides. */
function describeConflicts({ to, marked }: DescribedUpgrade): string[] {
  return marked.flatMap(({ path, line, ours, theirs }) => [
    `conflict in ${path}:${line}`,
    "  yours:",
    ...indentSide(theirs),
    `  tsbuilder ${to}:`,
    ...indentSide(ours),
  ]);
}

/** The number of lines that are shown of one side of a conflict. */
const maxSideLines = 20;

function indentSide(side: string): string[] {
  const lines = side.split("\n");
  const shown = lines.length > maxSideLines ? [...lines.slice(0, maxSideLines), "…"] : lines;
  return shown.map((line) => `    ${line}`.trimEnd());
}

/** Pushes a branch to `origin`; throws if others committed to it there. Returns its commit, which may be there already. */
function pushBranch(root: string, branch: string, commit: string): string {
  const hint = `the upgrade is in the branch "${branch}"; to try again: git push origin ${branch}`;
  const ref = `refs/heads/${branch}`;
  const [present = ""] = git(root, ["ls-remote", "origin", ref], { hint }).split("\t");
  if (present !== "") git(root, ["fetch", "--quiet", "--no-tags", "origin", ref], { hint });
  const chosen = commitForBranch(root, `origin/${branch}`, commit, present === "" ? undefined : present);
  if (chosen !== commit) git(root, ["branch", "--force", branch, chosen]);
  if (chosen === present) return chosen;
  const lease = `--force-with-lease=${ref}:${present}`;
  git(root, ["push", "--quiet", lease, "origin", `${chosen}:${ref}`], { hint });
  return chosen;
}

interface PullRequest {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

/** Opens or updates the pull request of a branch. Returns its URL; undefined if `gh` prints none or is not installed. */
async function openPullRequest(root: string, { branch, title, body }: PullRequest, ui: Ui) {
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

/** An open pull request. A branch of a fork may have the same name. */
interface ListedPullRequest {
  readonly url: string;
  readonly isCrossRepository: boolean;
}

/** Reads the open pull requests. No output means none: `gh pr create` itself rejects a second one. */
function readListed(output: string, call: ToolCall): readonly ListedPullRequest[] {
  const listed = parseJson(output || "[]");
  if (Array.isArray(listed)) return listed as ListedPullRequest[];
  throw new TsbuilderError(`gh pr list did not print a JSON list:\n${output}`, {
    code: "TOOL_FAILED",
    hint: `the branch is pushed; for details, run: ${formatCall(call)}`,
  });
}

/** Returns the text of a pull request in Markdown. Code is indented, since it could contain a fence. */
function describePullRequest(upgrade: DescribedUpgrade): string {
  const { from, to, notes, marked } = upgrade;
  const conflicts = marked.map(({ path, line, ours, theirs }) =>
    [
      `### \`${path}\`, line ${line}`,
      "Yours:",
      indentSide(theirs).join("\n"),
      `tsbuilder ${to}:`,
      indentSide(ours).join("\n"),
    ].join("\n\n"),
  );
  const sections = [
    `Upgrades the project from tsbuilder ${from} to ${to}: templates, packages and generated files, merged with your changes. The first parent of the merge is your branch, the second what tsbuilder ${to} scaffolds.`,
    ...(marked.length === 0
      ? []
      : [
          `## Conflicts`,
          `Both sides are in the files, between \`<<<<<<<\` and \`>>>>>>>\`; \`tsbuilder doctor\` finds them. Resolve them in this branch before it is merged, then run \`npm run generate\` and \`npm test\`.`,
          ...conflicts,
        ]),
    ...(notes.length === 0 ? [] : ["## Notes", notes.map((note) => `- ${note}`).join("\n")]),
  ];
  return shorten(sections.join("\n\n"));
}

/** The longest text of a pull request. GitHub's limit is 65,536 characters. */
const maxBody = 60_000;

const shorten = (text: string): string =>
  text.length <= maxBody ? text : `${text.slice(0, maxBody)}\n\nThere is more: the files have all of it.`;
