import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** How the operator is run. */
export interface OperatorOptions {
  readonly file: string;
  readonly project: string;
  readonly nodeArgs: readonly string[];
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

/** The operator's standard input is a pipe that closes with our process, even if that was killed. */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  'process.stdin.on("end", () => process.kill(process.pid, "SIGTERM")).resume().unref();',
)}`;

/** Prepares the operator's process; `restart` starts it. */
export function operatorProcess(options: OperatorOptions): OperatorProcess {
  let current: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const child = current;
    current = undefined;
    if (child) await end(child);
  };
  const start = (): void => {
    const child = spawn(
      process.execPath,
      [
        "--enable-source-maps",
        `--import=${END_WITH_PARENT}`,
        ...options.nodeArgs,
        options.file,
        ...options.args,
      ],
      {
        cwd: options.project,
        env: { ...process.env, ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    current = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", options.onLine);
    }
    child.on("exit", (code, signal) => {
      if (current !== child) return;
      current = undefined;
      options.onExit(signal ? `by ${signal}` : `with code ${code}`);
    });
  };
  return {
    restart: async () => {
      await stop();
      start();
    },
    isRunning: () => current !== undefined,
    stop,
  };
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
