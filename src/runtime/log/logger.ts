/** How urgent a line is. A logger writes its level and the more urgent ones. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a line tells besides its message. Values are written as JSON; an `Error` as its message, stack and cause. */
export type LogFields = { readonly [name: string]: unknown };

/**
 * Writes structured lines. The message is constant text, what varies stands in the fields. A line that is written
 * during a reconcile or a webhook call carries the fields of that call, whichever logger writes it.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to its lines. */
  with(fields: LogFields): Logger;
  /** Tells whether lines of a level are written; asked before making fields that cost something. */
  isEnabled(level: LogLevel): boolean;
}
