import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Watched } from "./eventually.ts";

/** Output and end of a process, for waits on it. */
export class ProcessWatch implements Watched {
  end: string | undefined;
  readonly #read: () => string;
  #wake!: () => void;
  #next!: Promise<void>;

  /** `read` returns all of its output so far. */
  constructor(read: () => string) {
    this.#read = read;
    this.#renew();
  }

  get output(): string {
    return this.#read();
  }

  next(): Promise<void> {
    return this.#next;
  }

  /** Called when the process has printed something or ended. */
  changed(): void {
    this.#wake();
    this.#renew();
  }

  #renew(): void {
    this.#next = new Promise((resolve) => (this.#wake = resolve));
  }
}

/** A process whose lines are kept as they come. */
export interface WatchedProcess {
  /** Its output so far, of both streams. */
  readonly lines: readonly string[];
  readonly watch: Watched;
  /** Its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Ends it and waits for its exit; this fails no wait. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Watches a process that writes to a log file; `read` returns its content. */
export function watchLog(name: string, child: ChildProcess, read: () => string): Watched {
  const watch = new ProcessWatch(() => read().slice(-2000));
  const end = (): void => {
    watch.end = `${name} ended with ${child.exitCode ?? child.signalCode}`;
    watch.changed();
  };
  if (child.exitCode !== null || child.signalCode !== null) end();
  else child.once("exit", end);
  return watch;
}

/** Watches two processes that need each other. */
export function watchBoth(first: Watched, second: Watched): Watched {
  return {
    get end() {
      return first.end ?? second.end;
    },
    get output() {
      return `${first.output}\n${second.output}`;
    },
    next: () => Promise.race([first.next(), second.next()]),
  };
}

/** Watches a process by its lines; `name` is its name in messages. */
export function watchProcess(
  name: string,
  child: ChildProcess,
  onLine: (line: string) => void = () => {},
): WatchedProcess {
  const lines: string[] = [];
  const watch = new ProcessWatch(() => lines.join("\n"));
  let isAsked = false;
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      onLine(line);
      watch.changed();
    });
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  // By then, all of its output has been read.
  child.once("close", (code, signal) => {
    if (!isAsked) watch.end = `${name} ended with ${code ?? signal}`;
    watch.changed();
  });
  return {
    lines,
    watch,
    exited,
    stop: (signal = "SIGTERM") => {
      isAsked = true;
      child.kill(signal);
      return exited;
    },
  };
}
