import { callSafely } from "../callbacks/call-safely.ts";
import { createLogger, type LeveledLogger } from "./create-logger.ts";
import type { LogFields, Logger, LogLevel } from "./logger.ts";

/** Lines that a logger would not take, with the reason. */
const lastResort = createLogger({ level: "debug" });

/**
 * A logger that never throws: what the one behind it doesn't take goes to standard error, and `onError` is told. No
 * reconcile may depend on whether somebody could write a line about it.
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
