import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createStandby } from "./standby.ts";

/** The options of the operator's process. */
export interface OperatorOptions {
  readonly file: string;
  readonly project: string;
  /** The address for a debugger: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** URLs of modules to load early: those that the operator imports and no edit changes. */
  readonly preload?: readonly string[];
  /** Delay from a start until the next process is prepared, in milliseconds. */
  readonly standbyDelay?: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Receives the operator's output, line by line. */
  readonly onLine: (line: string) => void;
  /** Called when the operator exits on its own. */
  readonly onExit: (reason: string) => void;
}

/** The operator in its own process, so that a crash or an endless loop does not affect `dev`. */
export interface OperatorProcess {
  /** Stops the running operator, if any, and starts a new one. */
  restart(): Promise<void>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/**
 * Runs before the operator's bundle, which is loaded when a line arrives on standard input. The pipe closes when our
 * process ends, even if killed, and then the operator ends, too.
 */
const wait = `data:text/javascript,${encodeURIComponent(`
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
  await new Promise((go) => process.stdin.once("data", go));
  process.stdin.unref();
`)}`;

/** Prepares the operator's process; `restart` starts it. */
export function operatorProcess(options: OperatorOptions): OperatorProcess {
  let current: ChildProcess | undefined;
  // Only one process can hold the debugger's port, from its start on, so with a debugger none waits in standby.
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
    child.on("error", ({ message }) => ended(`before it started: ${message}`));
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
  const modules = [...preload, wait].map((module) => `--import=${module}`);
  const nodeArgs = inspect === undefined ? modules : [`--inspect=${inspect}`, ...modules];
  const child = spawn(process.execPath, ["--enable-source-maps", ...nodeArgs, file, ...args], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Its exit is reported by the exit event.
  child.stdin.on("error", () => undefined);
  return child;
}

/** An operator that does not stop in time is killed; in development its work can be redone. */
const patienceMilliseconds = 5000;

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill("SIGKILL"), patienceMilliseconds);
    child.once("exit", () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
