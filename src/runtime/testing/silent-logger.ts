import type { Logger } from "../log/logger.ts";

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
  isEnabled: () => false,
};
