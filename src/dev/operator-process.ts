import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createStandby } from "./standby.ts";

/** How the operator is run. */
export interface OperatorOptions {
  readonly file: string;
  readonly project: string;
  /** Where a debugger may attach: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** Modules, by their addresses, that the operator is known to import and that no edit changes. */
  readonly preload?: readonly string[];
  /** How long after a start the next process begins to wait. */
  readonly standbyDelay?: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A line that the operator printed. */
  readonly onLine: (line: string) => void;
  /** The operator ended although nobody asked it to. */
  readonly onExit: (reason: string) => void;
}

/** The operator as a process of its own, so that a crash or an endless loop in it does not take `dev` along. */
export interface OperatorProcess {
  /** Ends the one that runs, if any, and starts a new one. */
  restart(): Promise<void>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/**
 * Runs before the operator's own file, which is not read until a line comes on the standard input. That is a pipe which
 * closes with our process, even if that was killed, and then this one ends, too.
 */
const WAIT = `data:text/javascript,${encodeURIComponent(`
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
  await new Promise((go) => process.stdin.once("data", go));
  process.stdin.unref();
`)}`;

/** Prepares the operator's process; `restart` starts it. */
export function operatorProcess(options: OperatorOptions): OperatorProcess {
  let current: ChildProcess | undefined;
  // A debugger's port is held by one process at a time, from its start: with one, nobody waits beside the operator.
  const standby = createStandby(() => launch(options), {
    isWanted: options.inspect === undefined,
    delay: options.standbyDelay,
  });
  const endCurrent = async (): Promise<void> => {
    const child = current;
    current = undefined;
    if (child) await end(child);
  };
  const run = (child: ChildProcess): void => {
    current = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on("line", options.onLine);
    }
    const ended = (reason: string): void => {
      if (current !== child) return;
      current = undefined;
      options.onExit(reason);
    };
    child.on("exit", (code, signal) => ended(signal ? `by ${signal}` : `with code ${code}`));
    child.on("error", ({ message }) => ended(`before it began: ${message}`));
    child.stdin!.write("go\n");
  };
  return {
    restart: async () => {
      await endCurrent();
      run(standby.take());
    },
    isRunning: () => current !== undefined,
    stop: async () => {
      standby.close();
      await endCurrent();
    },
  };
}

function launch({ file, project, inspect, preload = [], args, env }: OperatorOptions): ChildProcess {
  const modules = [...preload, WAIT].map((module) => `--import=${module}`);
  const nodeArgs = inspect === undefined ? modules : [`--inspect=${inspect}`, ...modules];
  const child = spawn(process.execPath, ["--enable-source-maps", ...nodeArgs, file, ...args], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // That it is gone is told by its exit.
  child.stdin.on("error", () => undefined);
  return child;
}

/** An operator that does not end in time is killed: in development its work can be done again. */
const PATIENCE_MILLISECONDS = 5000;

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MILLISECONDS);
    child.once("exit", () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
