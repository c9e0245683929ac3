import type { Context } from "../controller/reconciler.ts";
import type { EventDetails } from "../events/event-recorder.ts";
import type { Owner } from "../client/client.ts";
import type { Logger } from "../log/logger.ts";

/** An Event that a reconcile recorded in a test. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  readonly regarding: Owner;
  readonly reason: string;
  readonly note: string;
  readonly details?: EventDetails | undefined;
}

/** A reconcile's context in a test, with the Events that were recorded. */
export interface TestContext extends Context {
  readonly recorded: readonly RecordedEvent[];
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
  isEnabled: () => false,
};

/** Creates a context for calling a reconciler or a cleanup without a manager. It logs nothing, unless it gets a logger. */
export function reconcileContext(context: Partial<Context> = {}): TestContext {
  const recorded: RecordedEvent[] = [];
  const record =
    (type: RecordedEvent["type"]) =>
    (regarding: Owner, reason: string, note: string, details?: EventDetails): void => {
      recorded.push({ type, regarding, reason, note, ...(details && { details }) });
    };
  return {
    log: silentLogger,
    signal: new AbortController().signal,
    events: { normal: record("Normal"), warning: record("Warning") },
    ...context,
    recorded,
  };
}
