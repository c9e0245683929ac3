import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { doneOrAborted } from "../cluster/movable-clock.ts";

/** How an operator's processes are started and ended, and who learns of what they do. */
export interface ProcessOptions {
  readonly launch: () => ChildProcess;
  /** Sends a signal. Default: to the process alone. */
  readonly signal?: ((child: ChildProcess, signal: NodeJS.Signals) => void) | undefined;
  /** If false, each process is started on demand; else the next one waits in standby. */
  readonly hasStandby: boolean;
  /** Delay from a start until the next process is prepared, in milliseconds. */
  readonly standbyDelay?: number | undefined;
  /** Creates the receiver of messages for each process that is started. */
  readonly listen: () => OperatorListener;
  /** Receives the operator's output, line by line. */
  readonly onLine: (line: string) => void;
  /** Called when the operator exits on its own; `isExpected` is true within `endsAfter`. */
  readonly onExit: (reason: string, isExpected: boolean) => void;
}

/** The bundle of an operator in TypeScript, and how it is run. */
export interface OperatorOptions extends Pick<
  ProcessOptions,
  "standbyDelay" | "listen" | "onLine" | "onExit"
> {
  readonly file: string;
  readonly project: string;
  /** The address for a debugger: `127.0.0.1:9229`. */
  readonly inspect?: string | undefined;
  /** URLs of modules to load early: `operatorClock`, and those that the operator imports and no edit changes. */
  readonly preload?: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Receives the messages that a process sends with `process.send`. */
export interface OperatorListener {
  message(message: unknown): void;
  /** Called when the process has ended. */
  end(): void;
}

/** The operator in its own process, so that a crash or an endless loop does not affect `dev`. */
export interface OperatorProcess {
  /** Stops the running operator, if any, does work while none runs, and starts a new one even if that work fails. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  isRunning(): boolean;
  /** Does work that makes the process end, and waits for that expected end. Returns false if the signal is aborted first. */
  endsAfter(cause: () => Promise<void>, signal: AbortSignal): Promise<boolean>;
  /** Sets how far the clocks of this process, and of all later ones, are ahead of the system time, in milliseconds. */
  moveClock(ahead: number): void;
  stop(): Promise<void>;
}

/** A process that was started, and the reason for its end once it has ended. */
interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<string>;
}

/** Prepares the process of an operator in TypeScript; `restart` starts it. */
export function operatorProcess(options: OperatorOptions): OperatorProcess {
  return restartableProcess({
    ...options,
    launch: () => launch(options),
    // Only one process can hold the debugger's port, from its start on, so with a debugger none waits in standby.
    hasStandby: options.inspect === undefined,
  });
}

/** Prepares the process of any operator; `restart` starts it. Lines on its standard input, if it has one, move its clock. */
export function restartableProcess(options: ProcessOptions): OperatorProcess {
  let current: Running | undefined;
  let ahead = 0;
  const expected = new Set<Running>();
  const { hasStandby: isWanted, standbyDelay: delay, signal = signalProcess } = options;
  const standby = createStandby(options.launch, { isWanted, delay });
  const endCurrent = async (): Promise<void> => {
    const running = current;
    current = undefined;
    if (running) await endProcess(running, signal);
  };
  const run = (child: ChildProcess): void => {
    const running = { child, finished: whenFinished(child) };
    current = running;
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on("line", options.onLine);
    }
    const listener = options.listen();
    child.on("message", (message) => listener.message(message));
    void running.finished.then((reason) => {
      if (current === running) {
        current = undefined;
        options.onExit(reason, expected.has(running));
      }
      listener.end();
    });
    child.stdin?.write(`${ahead}\n`);
  };
  return {
    restart: async (meanwhile) => {
      await endCurrent();
      try {
        await meanwhile?.();
      } finally {
        run(standby.take());
      }
    },
    isRunning: () => current !== undefined,
    moveClock: (wanted) => {
      ahead = wanted;
      current?.child.stdin?.write(`${ahead}\n`);
    },
    endsAfter: async (cause, signal) => {
      const running = current;
      if (running) expected.add(running);
      try {
        await cause();
        return await doneOrAborted(Promise.resolve(running?.finished), signal);
      } finally {
        if (running) expected.delete(running);
      }
    },
    stop: async () => {
      standby.close();
      await endCurrent();
    },
  };
}

/**
 * Runs before the operator's bundle, which is loaded when a line arrives on standard input. Each line says how many
 * milliseconds the clock is ahead. The pipe closes when our process ends, even if killed, and then the operator ends, too.
 */
const waitForStart = `data:text/javascript,${encodeURIComponent(`
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));
  let begun = "";
  await new Promise((go) => {
    process.stdin.setEncoding("utf8").on("data", (text) => {
      const lines = (begun + text).split("\\n");
      begun = lines.pop();
      for (const line of lines) globalThis[Symbol.for("@tsbuilder/clock")]?.moveTo(Number(line));
      if (lines.length > 0) go();
    });
  });
  process.stdin.unref();
`)}`;

function launch({ file, project, inspect, preload = [], args, env }: OperatorOptions): ChildProcess {
  const modules = [...preload, waitForStart].map((module) => `--import=${module}`);
  const nodeArgs = inspect === undefined ? modules : [`--inspect=${inspect}`, ...modules];
  const child = spawn(process.execPath, ["--enable-source-maps", ...nodeArgs, file, ...args], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  });
  // A broken pipe means that the process ended, which the exit event reports.
  child.stdin!.on("error", () => undefined);
  return child;
}

/** The time after which an operator that does not stop is killed; in development its work can be redone. */
const stopMilliseconds = 5000;

function signalProcess(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
}

async function endProcess(
  { child, finished }: Running,
  signal: NonNullable<ProcessOptions["signal"]>,
): Promise<void> {
  const kill = setTimeout(() => signal(child, "SIGKILL"), stopMilliseconds);
  signal(child, "SIGTERM");
  await finished;
  clearTimeout(kill);
}

/** How long to wait for the rest of the output: a process that the operator started may hold it open. */
const outputMilliseconds = 1000;

/** Resolves with the reason when a process has ended and its output has been read. */
function whenFinished(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const finish = (): void => {
      const { exitCode, signalCode } = child;
      resolve(signalCode ? `by ${signalCode}` : `with code ${exitCode}`);
    };
    child.once("close", finish);
    child.once("exit", () => setTimeout(finish, outputMilliseconds).unref());
    child.once("error", ({ message }) => resolve(`before it started: ${message}`));
  });
}

/** A process kept in standby, because starting one takes longer than the work it is started for. */
interface Standby {
  /** Returns the process in standby, or a new one, and prepares the next one after a delay. */
  take(): ChildProcess;
  close(): void;
}

/** The delay before the next process is prepared leaves the processors to the one that was just taken. */
const standbyMilliseconds = 1000;

/** How processes are kept in standby. */
interface StandbyOptions {
  /** If false, each process is started on demand. */
  readonly isWanted: boolean;
  readonly delay: number | undefined;
}

function createStandby(
  launch: () => ChildProcess,
  { isWanted, delay = standbyMilliseconds }: StandbyOptions,
): Standby {
  let waiting: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const prepare = (): void => {
    const child = launch();
    waiting = child;
    // A process that fails in standby fails again on demand, and its error is reported then.
    const forget = (): void => {
      if (waiting === child) waiting = undefined;
    };
    child.once("exit", forget).once("error", forget);
  };
  return {
    take: () => {
      clearTimeout(timer);
      const child = waiting ?? launch();
      waiting = undefined;
      if (isWanted) timer = setTimeout(prepare, delay);
      return child;
    },
    close: () => {
      clearTimeout(timer);
      waiting?.kill("SIGKILL");
      waiting = undefined;
    },
  };
}
