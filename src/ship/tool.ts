import { execa, ExecaError, type Options } from "execa";
import { TsbuilderError } from "../shared/errors.ts";
import { quoteWord } from "../shared/text.ts";
import { toolPath } from "../shared/tool-path.ts";
import { trace } from "../shared/trace.ts";
import { hintForFailure, hintForMissing } from "./tool-hints.ts";

/** A command: the program and its arguments. */
export interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command and returns its output; a failure contains the program's message and a hint. */
export async function runTool(call: ToolCall, signal?: AbortSignal): Promise<ToolOutput> {
  const { stdout, stderr } = await runTraced(call, optionsOf(call, signal));
  return { stdout: String(stdout), stderr: String(stderr) };
}

/** Runs a command whose progress the user should see; its output goes to our standard error. */
export async function showTool(call: ToolCall, signal?: AbortSignal): Promise<void> {
  await runTraced(call, {
    ...optionsOf(call, signal),
    stdout: [process.stderr, "pipe"],
    stderr: [process.stderr, "pipe"],
  });
}

async function runTraced(call: ToolCall, options: Options): Promise<{ stdout?: unknown; stderr?: unknown }> {
  const started = performance.now();
  try {
    return await execa(call.tool, call.args, options);
  } catch (error) {
    throw explain(call, error);
  } finally {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    trace(`ran in ${seconds} s: ${formatCall(call)}`);
  }
}

/** Formats a command as a user would type it into a shell. */
export function formatCall({ tool, args }: ToolCall): string {
  return [tool, ...args].map(quoteWord).join(" ");
}

function optionsOf({ input, env, cwd }: ToolCall, signal: AbortSignal | undefined): Options {
  return {
    ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    env: { PATH: toolPath(), ...env },
    ...(cwd ? { cwd } : {}),
    ...(signal ? { cancelSignal: signal } : {}),
  };
}

/** Turns a failure of a command into an error with a hint. */
function explain(call: ToolCall, error: unknown): unknown {
  if (!(error instanceof ExecaError)) return error;
  if (error.code === "ENOENT") {
    const message = `"${call.tool}" is not on the PATH`;
    return new TsbuilderError(message, { code: "TOOL_MISSING", hint: hintForMissing(call.tool) });
  }
  const output =
    [error.stderr, error.stdout].map(String).find((text) => text.trim() !== "") ?? error.shortMessage;
  return new TsbuilderError(`${formatCall(call)} failed\n${output.trim()}`, {
    code: "TOOL_FAILED",
    hint: hintForFailure(call, output) ?? `for details, run: ${formatCall(call)}`,
    cause: error,
  });
}
