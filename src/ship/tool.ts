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
  const shown = [process.stderr, "pipe"] as const;
  await runTraced(call, { ...optionsOf(call, signal), stdout: shown, stderr: shown });
}

async function runTraced(
  call: ToolCall,
  options: Options,
): Promise<{ readonly stdout?: unknown; readonly stderr?: unknown }> {
  const started = performance.now();
  try {
    return await execa(call.tool, call.args, options);
  } catch (error) {
    throw explain(call, error, Array.isArray(options.stderr));
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

/** Turns a failure of a command into an error with a hint, and with its output unless the user has seen that already. */
function explain(call: ToolCall, error: unknown, isShown: boolean): unknown {
  if (!(error instanceof ExecaError)) return error;
  if (error.code === "ENOENT") {
    const message = `"${call.tool}" is not on the PATH`;
    return new TsbuilderError(message, { code: "TOOL_MISSING", hint: hintForMissing(call.tool) });
  }
  const output =
    [error.stderr, error.stdout].map(String).find((text) => text.trim() !== "") ?? error.shortMessage;
  const why = isShown ? ": its output is above" : `\n${output.trim()}`;
  return new TsbuilderError(`${formatCall(call)} failed${why}`, {
    code: "TOOL_FAILED",
    hint: hintForFailure(call, output) ?? `for details, run: ${formatCall(call)}`,
    cause: error,
  });
}
