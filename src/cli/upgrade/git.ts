import { spawnSync } from "node:child_process";
import { TsbuilderError } from "../../shared/errors.ts";
import { quoteWord } from "../../shared/text.ts";
import { trace } from "../../shared/trace.ts";

interface GitCall {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git in a folder and returns its output. */
export function git(folder: string, args: readonly string[], call: GitCall = {}): string {
  const { status, stdout, stderr } = start(folder, args, call);
  if (status === 0) return stdout.trimEnd();
  throw new TsbuilderError(`${format(args)} failed\n${(stderr || stdout).trim()}`, {
    code: "TOOL_FAILED",
    hint: `nothing was changed in this branch or its files; for details, run: ${format(args)}`,
  });
}

/** The same where git exits with 1 for what is not there: then the result is undefined. */
export function askGit(folder: string, args: readonly string[], call: GitCall = {}): string | undefined {
  const { status, stdout } = start(folder, args, call);
  return status === 0 ? stdout.trimEnd() : undefined;
}

function start(folder: string, args: readonly string[], { input = "", env = {} }: GitCall) {
  trace(`run: ${format(args)}`);
  const { error, ...done } = spawnSync("git", args, {
    cwd: folder,
    input,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  if (error === undefined) return done;
  const isMissing = "code" in error && error.code === "ENOENT";
  throw new TsbuilderError(isMissing ? '"git" is not on the PATH' : `git failed: ${error.message}`, {
    code: isMissing ? "TOOL_MISSING" : "TOOL_FAILED",
    hint: "install git, or upgrade without --branch, --commit and --pull-request",
  });
}

const format = (args: readonly string[]): string => ["git", ...args].map(quoteWord).join(" ");
