import type { Logger } from "@tsbuilder/runtime";
import type { TraceEvent } from "../contract/index.ts";
import type { EventLoop } from "./event-loop.ts";

type Entry = TraceEvent extends infer One ? (One extends unknown ? Omit<One, "at"> : never) : never;

/** Writes the trace, with the virtual time of each event. */
export class Recorder {
  readonly trace: TraceEvent[] = [];
  readonly #loop: EventLoop;
  #isClosed = false;
  /** When a process last logged an error: it will try again. */
  lastError = 0;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  add(entry: Entry): void {
    if (this.#isClosed) return;
    // Microseconds are enough to tell events apart, and sums of fractions don't show.
    this.trace.push({ at: Math.round(this.#loop.now * 1000) / 1000, ...entry });
  }

  /** Nothing that happens from now on is part of the trace. */
  close(): void {
    this.#isClosed = true;
  }

  /** The logger of a process: warnings and errors are part of the trace. */
  logger(process: string, object?: string): Logger {
    const write = (
      level: "warn" | "error",
      message: string,
      fields: { readonly [name: string]: unknown } = {},
    ): void => {
      const { error } = fields;
      const about = object ?? keyIn(fields);
      if (level === "error") this.lastError = this.#loop.now;
      this.add({
        type: "log",
        process,
        level,
        message,
        ...(error !== undefined && { error: error instanceof Error ? error.message : JSON.stringify(error) }),
        ...(about !== undefined && { object: about }),
      });
    };
    return {
      debug: () => {},
      info: () => {},
      warn: (message, fields) => write("warn", message, fields),
      error: (message, fields) => write("error", message, fields),
      with: (fields) => this.logger(process, object ?? keyIn(fields)),
      isEnabled: (level) => level === "warn" || level === "error",
    };
  }
}

function keyIn({ namespace, name }: { readonly [name: string]: unknown }): string | undefined {
  return typeof name === "string"
    ? `${typeof namespace === "string" ? `${namespace}/` : ""}${name}`
    : undefined;
}
