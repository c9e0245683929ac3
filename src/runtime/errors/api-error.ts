// The two errors that callers tell apart: a request that failed, and one that no retry fixes.

import type { Status } from "@tsbuilder/apimachinery/meta";

/**
 * A request that failed: the server's answer, or none.
 * `reason` is the API's `reason` (`NotFound`, `Conflict`, …). Without an answer, `status` is 0 and the reason is
 * `Unreachable` (no connection, or a broken one), `Timeout` (no answer in time) or `Malformed` (the answer is not a
 * Kubernetes object); `cause` is Node's error.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status code; 0 if there was no answer. */
  readonly status: number;
  readonly reason: string;
  /** The server's Status object, or one made from the code and text of the answer. */
  readonly body: Status;
  /** The request that failed, as `PATCH /api/v1/…`, without the query. */
  readonly request: string | undefined;

  /** The Status' `code` becomes `status`, because Node's errors have another `code`, such as `ECONNRESET`. */
  constructor(body: Partial<Status>, options: { request?: string | undefined; cause?: unknown } = {}) {
    const message = body.message ?? body.reason ?? "request failed";
    super(
      options.request === undefined ? message : `${options.request}: ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.body = { ...body, apiVersion: "v1", kind: "Status", metadata: body.metadata ?? {} };
    this.status = body.code ?? 0;
    this.reason = body.reason ?? "Unknown";
    this.request = options.request;
  }

  get isNotFound(): boolean {
    return this.reason === "NotFound" || (this.status === 404 && this.reason === "Unknown");
  }

  /** An object of that name already exists. */
  get isAlreadyExists(): boolean {
    return this.reason === "AlreadyExists";
  }

  /**
   * The object has changed: read it again and retry. Also true for `isFieldManagerConflict`, which no retry resolves.
   */
  get isConflict(): boolean {
    return this.reason === "Conflict";
  }

  /**
   * An apply with `force: false` would change fields that other field managers own; `body.details.causes` names both.
   * It fails again until they give the fields up.
   */
  get isFieldManagerConflict(): boolean {
    const { causes = [] } = this.body.details ?? {};
    return this.isConflict && causes.some(({ reason }) => reason === "FieldManagerConflict");
  }

  /** Another controller owns the object: see `ApplyOptions.adopt`. */
  get isAlreadyOwned(): boolean {
    return this.reason === "AlreadyOwned";
  }

  /** Validation rejected the object; `body.details.causes` names the fields. */
  get isInvalid(): boolean {
    return this.reason === "Invalid";
  }

  get isForbidden(): boolean {
    return this.reason === "Forbidden";
  }

  get isUnauthorized(): boolean {
    return this.reason === "Unauthorized";
  }

  /** The resource version or continue token is too old. */
  get isGone(): boolean {
    return this.status === 410 || this.reason === "Expired" || this.reason === "Gone";
  }

  get isTooManyRequests(): boolean {
    return this.status === 429;
  }

  /** No answer in time, from this client, the server or a proxy. */
  get isTimeout(): boolean {
    return this.reason === "Timeout" || this.reason === "ServerTimeout" || this.status === 504;
  }

  /** No answer: no connection, or a broken one. */
  get isUnreachable(): boolean {
    return this.reason === "Unreachable";
  }

  /** How long the server asks to wait before a retry. */
  get retryAfterSeconds(): number | undefined {
    return this.body.details?.retryAfterSeconds;
  }
}

/** An error that a retry can't fix. A reconcile that throws it is logged, and not retried until the object changes. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
