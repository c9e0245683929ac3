import { askGit, git } from "../git.ts";

/** What an upgrade is for: the project's folder in its repository, and the branch that gets it. */
export interface UpgradeAim {
  readonly folder: string;
  readonly onto: string;
}

/** What an upgrade that begins in the current branch is for. */
export function readAim(root: string): UpgradeAim {
  const folder = git(root, ["rev-parse", "--show-prefix"]).replace(/\/$/u, "");
  return { folder: folder || ".", onto: currentBranch(root) ?? "HEAD" };
}

/** Undefined between branches. */
export function currentBranch(root: string): string | undefined {
  return askGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
}

/** The last line of an upgrade's message, by which a later one knows it. */
export function formatTrailer(from: string, to: string, { folder, onto }: UpgradeAim, tree: string): string {
  return `${trailer}: ${from} to ${to} of ${folder} onto ${onto}, ${tree}`;
}

/** What an upgrade by tsbuilder is for; undefined for other commits, and where somebody amended it. */
export function aimOfCommit(root: string, commit: string): UpgradeAim | undefined {
  const show = ["show", "--no-patch", "--no-show-signature", "--format=%T%n%B", commit];
  const [tree, ...message] = git(root, show).split("\n");
  const found = message.map((line) => trailerPattern.exec(line)).find((match) => match?.[3] === tree);
  return found ? { folder: found[1]!, onto: found[2]! } : undefined;
}

/** Whether a branch has an upgrade by tsbuilder, maybe below what others committed. */
export function hasUpgrade(root: string, branch: string): boolean {
  const log = ["log", "--first-parent", "--max-count=1", "--no-show-signature", "--format=%H"];
  return git(root, [...log, "--basic-regexp", `--grep=^${trailer}: `, branch]) !== "";
}

export const isSameAim = (one: UpgradeAim | undefined, other: UpgradeAim): boolean =>
  one?.folder === other.folder && one.onto === other.onto;

const trailer = "Tsbuilder-Upgrade";
const trailerPattern = new RegExp(String.raw`^${trailer}: \S+ to \S+ of (.+) onto (\S+), (\S+)$`, "u");
