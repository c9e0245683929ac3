export { createLogger, type LeveledLogger, type LoggerOptions } from "./create-logger.ts";
export type { LogFields } from "../scope/scope.ts";
export type { Logger, LogLevel } from "./logger.ts";
export { loggerFromPino, type PinoLike } from "./create-logger.ts";
