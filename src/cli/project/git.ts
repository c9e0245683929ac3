import { spawnSync } from "node:child_process";
import type { Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { quoteWord } from "../../shared/text.ts";
import { toolPath } from "../../shared/tool-path.ts";
import { trace } from "../../shared/trace.ts";

interface GitCall {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The hint of the error if git fails. */
  readonly hint?: string;
}

/** Runs git in a folder and returns its output. Throws if git fails. */
export function git(folder: string, args: readonly string[], call: GitCall = {}): string {
  const result = runGit(folder, args, call);
  if (result.status !== 0) throw gitError(args, result, call.hint);
  return result.stdout.trimEnd();
}

/** Runs a git command that exits with 1 for a missing object; returns undefined then. */
export function askGit(folder: string, args: readonly string[], call: GitCall = {}): string | undefined {
  const result = runGit(folder, args, call);
  if (result.status === 1) return undefined;
  if (result.status !== 0) throw gitError(args, result, call.hint);
  return result.stdout.trimEnd();
}

/** Returns whether a folder is under version control. Throws if git refuses to read a repository, such as another user's. */
export function isRepository(folder: string): boolean {
  const args = ["rev-parse", "--git-dir"];
  const result = runGit(folder, args, { env: { LC_ALL: "C" } });
  if (result.status === 0) return true;
  if (result.stderr.includes("not a git repository")) return false;
  throw gitError(args, result);
}

/** Returns the path of a folder in its repository, with a slash at the end; empty for the repository's root, or without a repository. */
export function pathInRepository(folder: string): string {
  return isRepository(folder) ? git(folder, ["rev-parse", "--show-prefix"]) : "";
}

/** Returns whether git ignores a path, even if the path is tracked. Without a repository, git ignores none. */
export function isIgnored(folder: string, path: string): boolean {
  const args = [...safeSettings, "check-ignore", "--quiet", "--no-index", path];
  return spawnSync("git", args, { cwd: folder, env: environment() }).status === 0;
}

/** The files below a folder as they are in a commit: no filter and no hook of a repository runs, and nothing is fetched. */
export function gitTree(folder: string, commit: string): Tree {
  const env = { GIT_NO_LAZY_FETCH: "1" };
  const list = (path: string): string[] =>
    git(folder, ["ls-tree", "-r", "-z", "--name-only", commit, "--", path === "" ? "." : path], { env })
      .split("\0")
      .filter((file) => file !== "");
  const all = new Set(list(""));
  return {
    list: (path) => [...all].filter((file) => path === "" || path === "." || file.startsWith(`${path}/`)),
    has: (path) => all.has(path) || [...all].some((file) => file.startsWith(`${path}/`)),
    read: (path) =>
      all.has(path) ? git(folder, ["cat-file", "blob", `${commit}:./${path}`], { env }) : undefined,
  };
}

function runGit(folder: string, args: readonly string[], { input = "", env = {} }: GitCall) {
  trace(`run: ${formatCommand(args)}`);
  const { error, ...result } = spawnSync("git", [...safeSettings, ...args], {
    cwd: folder,
    input,
    env: { ...environment(), ...env },
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  if (error === undefined) return result;
  const isMissing = "code" in error && error.code === "ENOENT";
  throw new TsbuilderError(isMissing ? '"git" is not on the PATH' : `git failed: ${error.message}`, {
    code: isMissing ? "TOOL_MISSING" : "TOOL_FAILED",
    hint: "install git, or upgrade without --branch, --commit and --pull-request",
  });
}

/** Settings against a clone with a folder that git takes for a bare repository, whose settings name programs to run. */
const safeSettings = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];

/** Without optional locks, reading a repository does not rewrite its index. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: toolPath(), GIT_OPTIONAL_LOCKS: "0" });

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

function gitError(args: readonly string[], { stdout, stderr }: Output, hint?: string): TsbuilderError {
  return new TsbuilderError(`${formatCommand(args)} failed\n${(stderr || stdout).trim()}`, {
    code: "TOOL_FAILED",
    hint: hint ?? `nothing was changed in this branch or its files; for details, run: ${formatCommand(args)}`,
  });
}

const formatCommand = (args: readonly string[]): string => ["git", ...args].map(quoteWord).join(" ");
