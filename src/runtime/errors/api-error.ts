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
    this.status = body.code ?? 0;
    this.reason = body.reason ?? reasonsByStatus[this.status] ?? "Unknown";
    const metadata = body.metadata ?? {};
    this.body = { ...body, apiVersion: "v1", kind: "Status", metadata, reason: this.reason };
    this.request = options.request;
  }

  /** There is no such object, or the server doesn't serve the kind: `body.details.name` is the object's. */
  get isNotFound(): boolean {
    return this.reason === "NotFound";
  }

  /** Discovery doesn't know the kind: its CRD may be missing. */
  get isNoKindMatch(): boolean {
    return this.reason === "NoKindMatch";
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

  /** The request makes no sense to the server; a webhook may say so, too. */
  get isBadRequest(): boolean {
    return this.reason === "BadRequest";
  }

  get isUnauthorized(): boolean {
    return this.reason === "Unauthorized";
  }

  get isForbidden(): boolean {
    return this.reason === "Forbidden";
  }

  /** The kind doesn't have that verb. */
  get isMethodNotAllowed(): boolean {
    return this.reason === "MethodNotAllowed";
  }

  get isNotAcceptable(): boolean {
    return this.reason === "NotAcceptable";
  }

  /** The resource version or continue token is too old. */
  get isGone(): boolean {
    return this.status === 410 || this.reason === "Expired" || this.reason === "Gone";
  }

  /** The object is too large: etcd takes about 1.5 MiB. */
  get isRequestEntityTooLarge(): boolean {
    return this.reason === "RequestEntityTooLarge";
  }

  get isUnsupportedMediaType(): boolean {
    return this.reason === "UnsupportedMediaType";
  }

  /** The server limits requests, or a PodDisruptionBudget evictions. */
  get isTooManyRequests(): boolean {
    return this.status === 429;
  }

  /** The server failed; a webhook that can't be called may be the cause. */
  get isInternalError(): boolean {
    return this.reason === "InternalError";
  }

  /** The stored object can't be decrypted or decoded. */
  get isStoreReadError(): boolean {
    return this.reason === "StoreReadError";
  }

  get isServiceUnavailable(): boolean {
    return this.reason === "ServiceUnavailable";
  }

  /** No answer in time, from this client, the server or a proxy. */
  get isTimeout(): boolean {
    return this.reason === "Timeout" || this.reason === "ServerTimeout" || this.status === 504;
  }

  /** No answer: no connection, or a broken one. */
  get isUnreachable(): boolean {
    return this.reason === "Unreachable";
  }

  /** The answer is no Kubernetes object. */
  get isMalformed(): boolean {
    return this.reason === "Malformed";
  }

  /** How long the server asks to wait before a retry. */
  get retryAfterSeconds(): number | undefined {
    return this.body.details?.retryAfterSeconds;
  }
}

/** The reasons that the API server uses with these codes: a Status may have none, and a proxy answers without a Status. */
const reasonsByStatus: { [status: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** An error that a retry can't fix. A reconcile that throws it is logged, and not retried until the object changes. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
