// Loggers: `createLogger` writes lines of JSON or text, `loggerFromPino` wraps pino's, and `guardLogger` protects the
// runtime from loggers of users, which may fail.

import { channel } from "node:diagnostics_channel";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { type LogFields, currentScope } from "../scope/scope.ts";
import { type CallbackError, callSafely, thrownError } from "../callbacks/callbacks.ts";
import { formatField, permissionHint, stackOf } from "./format-field.ts";

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

/** Options of a logger. */
export interface LoggerOptions {
  /** Default: `info`. */
  readonly level?: LogLevel | undefined;
  /** JSON objects, or text for people. Default: `console` for a terminal on standard error, else `json`. */
  readonly encoder?: "json" | "console" | undefined;
  /** Called with each line, including its newline. Default: writes to standard error. */
  readonly write?: ((line: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** A logger whose level can be changed while it is in use, for all loggers derived from it. */
export interface LeveledLogger extends Logger {
  level: LogLevel;
}

/** The levels, the least severe first. */
export const logLevels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The level and the output that a logger shares with all loggers derived from it. */
interface LogSink {
  level: number;
  readonly write: (level: LogLevel, message: string, fields: LogFields) => void;
}

/** The name of the channel of `node:diagnostics_channel` on which the lines of loggers of `createLogger` are published. */
export const logChannel = "tsbuilder:log";

/** A reference: a channel without one may be collected, and its subscribers with it. */
const lines = channel(logChannel);

/** Creates a logger; an operator that uses pino calls `loggerFromPino` instead. */
export function createLogger(options: LoggerOptions = {}): LeveledLogger {
  const {
    level = "info",
    encoder = options.write === undefined && process.stderr.isTTY ? "console" : "json",
    write = (line: string) => void process.stderr.write(line),
    clock = systemClock,
  } = options;
  const print = (line: string): void => {
    lines.publish(line);
    callSafely(
      () => write(line),
      () => void process.stderr.write(line),
    );
  };
  const encode = encoder === "json" ? encodeJson : encodeText;
  const sink: LogSink = {
    level: logLevels.indexOf(level),
    write: (lineLevel, message, fields) => print(encode(timestamp(clock.now()), lineLevel, message, fields)),
  };
  return createLineLogger(sink, {});
}

function createLineLogger(sink: LogSink, inheritedFields: LogFields): LeveledLogger {
  const isEnabled = (level: LogLevel): boolean => logLevels.indexOf(level) >= sink.level;
  const line = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!isEnabled(level)) return;
    try {
      const scopeFields = currentScope()?.logFields?.();
      // Spreading three objects takes three times as long.
      const all: { [name: string]: unknown } = Object.assign({}, inheritedFields, scopeFields, fields);
      const { error } = all;
      sink.write(level, message, error === undefined ? all : { ...permissionHint(error), ...all });
    } catch (thrown) {
      sink.write(level, message, { unprintable: thrownError(thrown).message });
    }
  };
  return {
    ...methodsByLevel(line),
    get level() {
      return logLevels[sink.level] ?? "info";
    },
    set level(level) {
      sink.level = logLevels.indexOf(level);
    },
    with: (fields) => createLineLogger(sink, { ...inheritedFields, ...fields }),
    isEnabled,
  };
}

let lastTime = NaN;
let lastTimestamp = "";

/** Formats the time of a line. Lines of one millisecond share a text. */
function timestamp(time: number): string {
  if (time !== lastTime) [lastTime, lastTimestamp] = [time, new Date(time).toISOString()];
  return lastTimestamp;
}

/** Makes the method of each level. */
function methodsByLevel(line: (level: LogLevel) => Logger[LogLevel]): Pick<Logger, LogLevel> {
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

/** The names of fields that every line has. A user's field of such a name gets an underscore. */
const reservedNames = new Set(["level", "ts", "msg"]);

/** The order and names of zap's production encoder, which log pipelines already support. */
function encodeJson(ts: string, level: LogLevel, message: string, fields: LogFields): string {
  const line: { [name: string]: unknown } = { level, ts, msg: message };
  for (const name of Object.keys(fields))
    line[reservedNames.has(name) ? `${name}_` : name] = formatField(fields[name]);
  const stack = level === "error" ? stackOf(fields["error"]) : undefined;
  if (stack !== undefined) line["stacktrace"] = stack;
  return `${JSON.stringify(line)}\n`;
}

/** Escapes control characters: parts of a line come from the cluster, and a terminal must not obey them. */
function encodeText(ts: string, level: LogLevel, message: string, fields: LogFields): string {
  const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, formatField(value)]));
  const rest = Object.keys(shown).length === 0 ? "" : `\t${JSON.stringify(shown)}`;
  const stack = level === "error" ? stackOf(fields["error"]) : undefined;
  const below = stack === undefined ? "" : `\n${stack}`;
  return visibleText(`${ts}\t${level.toUpperCase()}\t${message}${rest}${below}\n`);
}

/** Writes the lines with which a user's logger failed, and its error. */
const fallbackLogger = createLogger({ level: "debug" });

/**
 * A logger that never throws: lines that the wrapped logger rejects are written to standard error, and `onError` is
 * called. No reconcile may depend on whether a line could be logged.
 */
export function guardLogger(logger: Logger | LeveledLogger, onError: () => void): Logger | LeveledLogger {
  const line = (level: LogLevel) => (message: string, fields?: LogFields) =>
    callSafely(
      () => logger[level](message, fields),
      (loggerError) => {
        fallbackLogger.with({ loggerError })[level](message, fields);
        onError();
      },
    );
  const guarded: Logger = {
    ...methodsByLevel(line),
    with(fields) {
      try {
        return guardLogger(logger.with(fields), onError);
      } catch {
        onError();
        return guardLogger(fallbackLogger.with(fields), onError);
      }
    },
    isEnabled(level) {
      try {
        return logger.isEnabled(level);
      } catch {
        onError();
        return true;
      }
    },
  };
  if (!("level" in logger)) return guarded;
  return Object.defineProperty(guarded as LeveledLogger, "level", {
    get: () => logger.level,
    set: (level: LogLevel) => (logger.level = level),
  });
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

/** The part of a pino instance that is used. */
export interface PinoLike {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): PinoLike;
  isLevelEnabled(level: string): boolean;
}

/** Passes lines to a pino instance, with its levels, transports and redaction. */
export function loggerFromPino(pino: PinoLike): Logger {
  // pino logs the stack of an error only in its own field.
  const merge = ({ error, ...fields }: LogFields = {}): object => ({
    ...currentScope()?.logFields?.(),
    ...fields,
    ...(error === undefined ? {} : { err: error }),
  });
  return {
    ...methodsByLevel((level) => (message, fields) => pino[level](merge(fields), message)),
    with: (fields) => loggerFromPino(pino.child(fields)),
    isEnabled: (level) => pino.isLevelEnabled(level),
  };
}
