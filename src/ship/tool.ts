import { execa, ExecaError, type Options } from "execa";
import { TsbuilderError } from "../shared/errors.ts";
import { quoteWord } from "../shared/text.ts";
import { hintForFailure, hintForMissing } from "./tool-hints.ts";

/** One call of a program: what a person would type. */
export interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What a call printed. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and returns what it printed; a failure keeps the program's own words and explains them. */
export async function runTool(call: ToolCall, signal?: AbortSignal): Promise<ToolOutput> {
  try {
    const { stdout, stderr } = await execa(call.tool, call.args, options(call, signal));
    return { stdout: String(stdout), stderr: String(stderr) };
  } catch (error) {
    throw explain(call, error);
  }
}

/** Runs a program whose progress a person wants to see; its output goes to our standard error. */
export async function showTool(call: ToolCall, signal?: AbortSignal): Promise<void> {
  try {
    await execa(call.tool, call.args, {
      ...options(call, signal),
      stdout: [process.stderr, "pipe"],
      stderr: [process.stderr, "pipe"],
    });
  } catch (error) {
    throw explain(call, error);
  }
}

/** Writes a call as a line for a shell. */
export function formatCall({ tool, args }: ToolCall): string {
  return [tool, ...args].map(quoteWord).join(" ");
}

function options({ input, env, cwd }: ToolCall, signal: AbortSignal | undefined): Options {
  return {
    ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    ...(env ? { env } : {}),
    ...(cwd ? { cwd } : {}),
    ...(signal ? { cancelSignal: signal } : {}),
  };
}

function explain(call: ToolCall, error: unknown): unknown {
  if (!(error instanceof ExecaError)) return error;
  if (error.code === "ENOENT") {
    return new TsbuilderError(`"${call.tool}" is not on the PATH`, {
      code: "TOOL_MISSING",
      hint: hintForMissing(call.tool),
    });
  }
  const words =
    [error.stderr, error.stdout].map(String).find((text) => text.trim() !== "") ?? error.shortMessage;
  return new TsbuilderError(`${formatCall(call)} failed\n${words.trim()}`, {
    code: "TOOL_FAILED",
    hint: hintForFailure(call, words) ?? `run it yourself to see more: ${formatCall(call)}`,
    cause: error,
  });
}
