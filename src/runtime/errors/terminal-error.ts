/**
 * An error that a retry can't fix. If a reconcile throws it, it is logged and counted, and the object is not retried
 * until it changes.
 */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
