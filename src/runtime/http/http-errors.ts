import type { AnswerHead } from "./answer-parser.ts";
import type { Status } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";

/** The connection carried no data for too long. */
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

/** Converts an answer to an error with the server's Status, or with one made from a proxy's answer. */
export function errorFromAnswer(
  { status, headers, text }: Pick<AnswerHead, "status" | "headers"> & { readonly text: string },
  request: string,
  now: number,
): ApiError {
  const body: Partial<Status> = parseStatus(text) ?? {
    message: redirectMessage(status, headers) ?? (text.trim().slice(0, 1024) || `HTTP ${status}`),
  };
  const retryAfter = parseRetryAfter(headers["retry-after"], now) ?? body.details?.retryAfterSeconds;
  return new ApiError(
    {
      ...body,
      code: status,
      ...(retryAfter !== undefined && { details: { ...body.details, retryAfterSeconds: retryAfter } }),
    },
    { request },
  );
}

/** Converts a failed connection to an error. */
export function errorFromSocket(cause: unknown, request: string): ApiError {
  const { code, message } = cause as { code?: string; message?: string };
  const reason = code === "ETIMEDOUT" ? "Timeout" : "Unreachable";
  return new ApiError(
    { code: 0, reason, message: message || code || "the connection failed" },
    { request, cause },
  );
}

/** Returns true if the server's certificate was not trusted: its CA may have been rotated. Nothing was sent. */
export function isUntrustedCertificate({ cause }: ApiError): boolean {
  const { code = "" } = (cause ?? {}) as { code?: string };
  return /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT)/.test(code);
}

/** The message for a redirect, as from the login page of a proxy; undefined for any other answer. */
function redirectMessage(status: number, { location }: { readonly [name: string]: string | undefined }) {
  if (status >= 400 || location === undefined) return undefined;
  return `HTTP ${status}: redirected to ${location.slice(0, 200)}. API servers don't do that; is a proxy in between?`;
}

/** Parses the Status in the body of an answer; undefined for anything else. */
function parseStatus(text: string): Partial<Status> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const body = JSON.parse(text) as Partial<Status>;
    return body.kind === "Status" ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a `Retry-After` header to seconds. It may also be a date; API servers send seconds. */
function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const value = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(value) ? Math.max(0, value) : undefined;
}
