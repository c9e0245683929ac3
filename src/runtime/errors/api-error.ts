// The two errors that callers tell apart: a request that failed, and one that no retry fixes.

import type { Status } from "@tsbuilder/apimachinery/meta";

/**
 * A request that failed: the server's answer, or none.
 * `reason` is the API's `reason` (`NotFound`, `Conflict`, …). Without an answer, `status` is 0 and the reason is
 * `Unreachable` (no connection, or a broken one), `Timeout` (no answer in time) or `Malformed` (the answer is not a
 * Kubernetes object); `cause` is Node's error. A webhook may give any text as its reason: the getters then go by the status.
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
    const message = body.message || body.reason || "request failed";
    super(
      options.request === undefined ? message : `${options.request}: ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.status = body.code ?? 0;
    this.reason = body.reason || (reasonsByStatus[this.status] ?? "Unknown");
    const metadata = body.metadata ?? {};
    this.body = { ...body, apiVersion: "v1", kind: "Status", metadata, reason: this.reason };
    this.request = options.request;
  }

  /** There is no such object, or the server doesn't serve the kind: `body.details.name` is the object's. */
  get isNotFound(): boolean {
    return is(this, "NotFound");
  }

  /** Discovery doesn't know the kind: its CRD may be missing. */
  get isNoKindMatch(): boolean {
    return is(this, "NoKindMatch");
  }

  /** An object of that name already exists. */
  get isAlreadyExists(): boolean {
    return is(this, "AlreadyExists");
  }

  /**
   * The object has changed: read it again and retry. Also true for `isFieldManagerConflict`, which no retry resolves.
   */
  get isConflict(): boolean {
    return is(this, "Conflict");
  }

  /**
   * An apply with `force: false` would change fields that other field managers own; `body.details.causes` names both.
   * It fails again until they give the fields up.
   */
  get isFieldManagerConflict(): boolean {
    const { causes } = this.body.details ?? {};
    return this.isConflict && causes?.some(({ reason }) => reason === "FieldManagerConflict") === true;
  }

  /** Another controller owns the object: see `ApplyOptions.adopt`. */
  get isAlreadyOwned(): boolean {
    return is(this, "AlreadyOwned");
  }

  /** Validation rejected the object; `body.details.causes` names the fields. */
  get isInvalid(): boolean {
    return is(this, "Invalid");
  }

  /** The request makes no sense to the server; a webhook may say so, too. */
  get isBadRequest(): boolean {
    return is(this, "BadRequest");
  }

  get isUnauthorized(): boolean {
    return is(this, "Unauthorized");
  }

  get isForbidden(): boolean {
    return is(this, "Forbidden");
  }

  /** The kind doesn't have that verb. */
  get isMethodNotAllowed(): boolean {
    return is(this, "MethodNotAllowed");
  }

  get isNotAcceptable(): boolean {
    return is(this, "NotAcceptable");
  }

  /** The resource version or continue token is too old. */
  get isGone(): boolean {
    return this.status === 410 || this.reason === "Expired" || this.reason === "Gone";
  }

  /** The object is too large: etcd takes about 1.5 MiB. */
  get isRequestEntityTooLarge(): boolean {
    return is(this, "RequestEntityTooLarge");
  }

  get isUnsupportedMediaType(): boolean {
    return is(this, "UnsupportedMediaType");
  }

  /** The server limits requests, or a PodDisruptionBudget evictions. */
  get isTooManyRequests(): boolean {
    return this.status === 429 || is(this, "TooManyRequests");
  }

  /** The server failed; a webhook that can't be called may be the cause. */
  get isInternalError(): boolean {
    return is(this, "InternalError");
  }

  /** The stored object can't be decrypted or decoded. */
  get isStoreReadError(): boolean {
    return is(this, "StoreReadError");
  }

  get isServiceUnavailable(): boolean {
    return is(this, "ServiceUnavailable");
  }

  /** No answer in time, from this client, the server or a proxy. */
  get isTimeout(): boolean {
    return this.reason === "Timeout" || this.reason === "ServerTimeout" || this.status === 504;
  }

  /** No answer: no connection, or a broken one. */
  get isUnreachable(): boolean {
    return is(this, "Unreachable");
  }

  /** The answer is no Kubernetes object. */
  get isMalformed(): boolean {
    return is(this, "Malformed");
  }

  /** How long the server asks to wait before a retry. */
  get retryAfterSeconds(): number | undefined {
    return this.body.details?.retryAfterSeconds ?? undefined;
  }
}

/**
 * Returns true if the error has the reason; or if its own is none of the API's, such as a text that a webhook wrote, and
 * its code has the reason. Go's `apierrors` decides in the same way.
 */
function is({ reason, status }: ApiError, expected: string): boolean {
  return reason === expected || (!knownReasons.has(reason) && reasonsByStatus[status] === expected);
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

/** The reasons of the API server and of this client: each has one meaning, whatever the code is. */
const knownReasons: ReadonlySet<string> = new Set([
  ...Object.values(reasonsByStatus),
  "AlreadyExists",
  "AlreadyOwned",
  "Expired",
  "Malformed",
  "NoKindMatch",
  "ServerTimeout",
  "StoreReadError",
  "Unreachable",
]);

/** An error that a retry can't fix. A reconcile that throws it is logged, and not retried until the object changes. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
