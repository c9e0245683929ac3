import { execa, ExecaError, type Options } from "execa";
import { TsbuilderError } from "../shared/errors.ts";

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
  return [tool, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
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
      hint: INSTALL[call.tool] ?? `install ${call.tool}, or name another tool`,
    });
  }
  const words =
    [error.stderr, error.stdout].map(String).find((text) => text.trim() !== "") ?? error.shortMessage;
  const known = FAILURES.find(({ pattern }) => pattern.test(words));
  return new TsbuilderError(`${formatCall(call)} failed\n${words.trim()}`, {
    code: "TOOL_FAILED",
    hint: known?.hint ?? `run it yourself to see more: ${formatCall(call)}`,
    cause: error,
  });
}

const INSTALL: Readonly<Record<string, string>> = {
  kubectl: "install kubectl, and see that `kubectl version --client` answers",
  kind: "install kind, or choose another with --load minikube or --load k3d",
};

/** What tools say when something outside of them is missing, and what to do about it. */
const FAILURES: readonly { readonly pattern: RegExp; readonly hint: string }[] = [
  {
    pattern: /cannot connect to the docker daemon|is the docker daemon running|docker\.sock/i,
    hint: "start the engine, or choose another tool with --tool podman or --tool buildah",
  },
  {
    pattern: /unauthorized|authentication required|denied: requested access|no basic auth credentials/i,
    hint: "log in to the registry first, for example: docker login REGISTRY",
  },
  {
    pattern: /no space left on device/i,
    hint: "free some room on the disk, for example: docker system prune",
  },
  {
    pattern: /connection refused|no such host|i\/o timeout|TLS handshake timeout|error pinging/i,
    hint: "see that the server can be reached; behind a mirror, set the base image: --build-arg BASE_IMAGE=…",
  },
  {
    pattern: /manifest unknown|manifest for .* not found|pull access denied/i,
    hint: "see that the base image's name is right, or set another: --build-arg BASE_IMAGE=…",
  },
];
