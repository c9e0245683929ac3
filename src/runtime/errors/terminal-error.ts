/**
 * An error that trying again can't mend. Thrown from a reconcile it is logged and counted, and the object
 * waits for its next change instead of a retry.
 */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
