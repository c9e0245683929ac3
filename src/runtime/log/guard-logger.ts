import { callSafely } from "../callbacks/call-safely.ts";
import { createLogger, type LeveledLogger } from "./create-logger.ts";
import type { LogFields } from "../scope/scope.ts";
import type { Logger, LogLevel } from "./logger.ts";

/** For lines that a logger rejected, with the reason. */
const lastResort = createLogger({ level: "debug" });

/**
 * A logger that never throws: lines that the wrapped logger rejects are written to standard error, and `onError` is
 * called. No reconcile may depend on whether a line could be logged.
 */
export function guardLogger(logger: Logger | LeveledLogger, onError: () => void): Logger | LeveledLogger {
  const line = (level: LogLevel) => (message: string, fields?: LogFields) =>
    callSafely(
      () => logger[level](message, fields),
      (loggerError) => {
        lastResort.with({ loggerError })[level](message, fields);
        onError();
      },
    );
  const guarded: Logger = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with(fields) {
      try {
        return guardLogger(logger.with(fields), onError);
      } catch {
        onError();
        return guardLogger(lastResort.with(fields), onError);
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
