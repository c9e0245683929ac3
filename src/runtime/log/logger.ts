import type { LogFields } from "../scope/scope.ts";
import type { CallbackError } from "../callbacks/callbacks.ts";

/** The severity of a line. A logger writes its level and the more severe ones. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Writes structured lines. The message is constant text; variable parts are fields. A line that is written during a
 * reconcile or a webhook call has the fields of that call, whichever logger writes it.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to its lines. */
  with(fields: LogFields): Logger;
  /** Returns true if lines of a level are written; check it before computing expensive fields. */
  isEnabled(level: LogLevel): boolean;
}

/** Logs the failure of a user's function. */
export function logCallbackError(
  log: Logger,
  { subject, object, cause }: CallbackError,
  fields: LogFields,
): void {
  log.error("A callback failed, going on without it", {
    ...fields,
    callback: subject,
    ...(object !== undefined && { object }),
    error: cause,
  });
}
