// The commands of a session that runs an operator in any language: `commandProcess` runs the operator, `runBuild` builds it. Both are
// commands that a person typed; they run in a shell, in a process group of their own.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { TsbuilderError } from "../../shared/errors.ts";
import {
  type OperatorProcess,
  type ProcessOptions,
  restartableProcess,
} from "../operator/operator-process.ts";

export interface Command {
  /** As typed: a shell runs it. */
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Prepares the process of a command; `restart` starts it. Its clock is that of the machine. */
export function commandProcess(
  command: Command,
  events: Pick<ProcessOptions, "listen" | "onLine" | "onExit">,
): OperatorProcess {
  return restartableProcess({
    ...events,
    launch: () => launch(command),
    signal: signalGroup,
    hasStandby: false,
  });
}

/**
 * Ends the process group when the pipe of descriptor 3 closes: when the command has ended, or our process, even if it was killed.
 * The command itself replaces the shell, and doesn't have that pipe.
 */
const guarded =
  '(trap "" TERM; read -r _ <&3; trap - TERM; kill -s TERM 0) >/dev/null 2>&1 & exec sh -c "$1" 3<&-';

/** Starts a command as the leader of a process group: `go run`, `cargo run` and shells start the operator as their child. */
export function launch({ command, folder, env }: Command): ChildProcess {
  const child = spawn("sh", ["-c", guarded, "sh", command], {
    cwd: folder,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const guard = child.stdio[3] as Duplex | undefined;
  guard?.on("error", () => undefined);
  return child.once("exit", () => guard?.destroy());
}

/** Sends a signal to a command, and to all that it has started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of the group is left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The number of lines of a failed build that are shown. */
const shownLines = 20;

/** Runs a build to its end. Throws with the end of its output if it fails, or when the signal is aborted. */
export async function runBuild(command: Command, signal: AbortSignal): Promise<void> {
  const child = launch(command);
  const lines: string[] = [];
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (lines.push(line) > shownLines) lines.shift();
    });
  }
  const stop = (): void => signalGroup(child, "SIGTERM");
  signal.addEventListener("abort", stop);
  const reason = await new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, by) => resolve(by === null ? `code ${code}` : `signal ${by}`));
  });
  signal.removeEventListener("abort", stop);
  if (reason === "code 0") return;
  throw new TsbuilderError(`the build ended with ${reason}\n${lines.map(visibleText).join("\n")}`, {
    code: "TOOL_FAILED",
    hint: "fix it and save: it is built again",
  });
}
