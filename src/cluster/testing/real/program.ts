import { spawn } from "node:child_process";

/** A child process that never outlives this process. */
export interface Program {
  /** Resolves when the program has ended for any reason. */
  readonly ended: Promise<void>;
  /** The end of its output. */
  log(): string;
  stop(): Promise<void>;
}

/** The script of a shell that kills the program when a pipe closes: our process holds it open until it ends, even by `kill -9`. */
const keeper = 'exec 3<&0; "$@" </dev/null & program=$!; (read -r _ <&3; kill -9 $program) & wait $program';
const logLength = 20_000;

/** Starts a program in its own process group, so that Ctrl-C reaches the tests first. `stop()` kills it: it keeps no data. */
export function startProgram(file: string, args: readonly string[]): Program {
  const child = spawn("/bin/sh", ["-c", keeper, "sh", file, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-logLength);
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      log += error.message;
      resolve();
    });
    child.once("exit", () => resolve());
  });
  return {
    ended,
    log: () => log,
    stop: () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, "SIGKILL");
      return ended;
    },
  };
}
