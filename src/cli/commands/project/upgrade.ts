import type { ConflictChoice } from "../../../scaffold/plan-upgrade.ts";
import type { OpenProject } from "../../project/open-project.ts";
import { applyOrShow, isShown, openToChange, planFlags } from "../../project/open-project.ts";
import type { FlagValues, Invocation } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { installDependencies } from "../../packages/install-dependencies.ts";
import { makeFlag } from "../../project/find-resource.ts";
import { planProjectUpgrade } from "../../upgrade/plan-upgrade.ts";

const flags = {
  keep: flag.switch("on conflicts, keep your version and write the new one to FILE.new"),
  force: flag.switch("on conflicts, overwrite your version"),
  "restore-path": flag.list("a file or folder that stays as it is; may be repeated", "PATH"),
  branch: {
    type: "optional-string",
    summary: "commit to another branch, with conflicts marked in the files; default: tsbuilder-upgrade",
    placeholder: "NAME",
  },
  commit: flag.switch("commit to the current branch"),
  push: flag.switch("like --branch, and push it to origin"),
  "pull-request": flag.switch("like --push, and open or update its pull request with gh"),
  message: flag.string("the message of the commit", "TEXT"),
  make: makeFlag,
  "skip-install": flag.switch("do not install the packages"),
  ...planFlags,
} as const;

export const upgrade = defineCommand({
  description:
    "Compares what the project's own tsbuilder scaffolds with what the new version does, and applies what the new version scaffolds differently. The same goes for its plugins. Your edits are kept; on conflicts, nothing is written until you choose --keep, --force or --branch. With --branch, --push, --pull-request and --commit the upgrade is a merge commit whose second parent is what the new version scaffolds; other branches and your files stay as they are.",
  flags,
  refused: {
    "from-version": "omit it: the version is that of the project's own tsbuilder",
    "to-version": "run the version that you want: tsbuilder upgrades to its own",
    "from-branch": "switch to the branch first: git switch BRANCH",
    "output-branch": "use --branch NAME",
    "merge-message": "use --message TEXT",
    "conflict-message": "use --message TEXT",
    "show-commits": "omit it: the commits are never squashed",
    "open-gh-issue": "use --pull-request, whose text lists the conflicts",
    "git-config":
      "omit it: tsbuilder merges by itself, and leaves out only what git calls commit.gpgSign=false",
  },
  examples: [
    "tsbuilder upgrade --diff",
    "tsbuilder upgrade --keep",
    "tsbuilder upgrade --pull-request --restore-path .github/workflows",
  ],
  async run(call) {
    const { flags, ui } = call;
    refuseContradictions(flags);
    const root = await openToChange(call, (opened) => runUpgrade(opened, call));
    if (root === undefined) return;
    if (!flags["skip-install"]) installDependencies(root, ui);
    const next = "Next: npm run fmt, npm run vet, npm test";
    ui.print(`\nThe project is now at version ${call.host.version()}. ${next}`);
  },
});

type Flags = FlagValues<typeof flags>;
type Call = Pick<Invocation, "ui" | "host"> & { readonly flags: Flags };

/** Runs the upgrade; returns the project's root if its files were written. */
async function runUpgrade(opened: OpenProject, { flags, ui, host }: Call): Promise<string | undefined> {
  const { root } = opened;
  const target = targetOf(flags);
  if (target !== "files") (await import("../../upgrade/commit-upgrade.ts")).requireCleanTree(root);
  const upgrade = await planProjectUpgrade(opened, host, {
    onConflict: onConflict(flags),
    restored: flags["restore-path"],
    make: flags.make,
    // A commit includes the lock file; where only files are written, installing the packages updates it.
    lock: target !== "files" && !flags["skip-install"] && !isShown(flags),
    isShown: isShown(flags),
  });
  if (upgrade === undefined) {
    ui.print(`The project is already at version ${host.version()}.`);
    return undefined;
  }
  if (target === "files" || isShown(flags))
    return applyOrShow(root, upgrade.plan, flags, ui) ? root : undefined;
  const { deliverUpgrade } = await import("../../upgrade/deliver-upgrade.ts");
  const isWritten = await deliverUpgrade(root, upgrade, {
    branch: target === "branch" ? branchName(flags) : undefined,
    push: flags.push || flags["pull-request"],
    pullRequest: flags["pull-request"],
    message: flags.message,
    ui,
  });
  return isWritten ? root : undefined;
}

/** Returns the destination of an upgrade: the files, a commit on the present branch, or a branch. */
function targetOf({ commit, branch, push, ...flags }: Flags): "files" | "commit" | "branch" {
  if (commit) return "commit";
  return branch !== undefined || push || flags["pull-request"] ? "branch" : "files";
}

const branchName = ({ branch }: Flags): string => (typeof branch === "string" ? branch : "tsbuilder-upgrade");

/** Returns how conflicts are handled. Only on a branch of its own may an upgrade leave files that don't compile. */
function onConflict(flags: Flags): ConflictChoice {
  if (flags.force) return "overwrite";
  if (flags.keep) return "keep";
  return targetOf(flags) === "branch" ? "mark" : "refuse";
}

function refuseContradictions(flags: Flags): void {
  const message = contradiction(flags);
  if (message === undefined) return;
  throw invalidArgument(message, "tsbuilder upgrade --help says what each of them does");
}

function contradiction(flags: Flags): string | undefined {
  if (flags.keep && flags.force) return "--keep and --force exclude each other";
  if (flags.commit && targetOf({ ...flags, commit: false }) === "branch")
    return "--commit and --branch exclude each other, and so do --commit and what pushes a branch";
  return flags.message !== undefined && targetOf(flags) === "files"
    ? "--message needs --branch, --push, --pull-request or --commit"
    : undefined;
}
