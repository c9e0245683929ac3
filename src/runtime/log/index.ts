export type { LogFields, Logger, LogLevel } from "./logger.ts";
