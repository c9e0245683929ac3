import { currentScope } from "../scope/scope.ts";
import type { LogFields } from "../scope/scope.ts";
import type { Logger } from "./logger.ts";

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
    debug: (message, fields) => pino.debug(merge(fields), message),
    info: (message, fields) => pino.info(merge(fields), message),
    warn: (message, fields) => pino.warn(merge(fields), message),
    error: (message, fields) => pino.error(merge(fields), message),
    with: (fields) => loggerFromPino(pino.child(fields)),
    isEnabled: (level) => pino.isLevelEnabled(level),
  };
}
