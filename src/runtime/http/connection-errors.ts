/** No data for too long. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`no data for ${milliseconds / 1000} s`);
  }
}

/** Opening a connection took too long. */
export class ConnectTimeoutError extends Error {
  override readonly name = "ConnectTimeoutError";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`no connection within ${milliseconds / 1000} s`);
  }
}

/** The server closed the connection before its answer was complete. */
export class BrokenConnectionError extends Error {
  override readonly name = "BrokenConnectionError";
  readonly code = "ECONNRESET";

  constructor() {
    super("the server closed the connection before it had answered");
  }
}
