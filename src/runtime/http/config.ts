import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Answer, WireRequest } from "./http-connection.ts";

/** How to connect to a cluster, and as whom. `loadConfig` creates one; tests may write one by hand. */
export interface ClusterConfig {
  /** `https://10.0.0.1:6443`, or `http://` for a proxy such as `kubectl proxy`. */
  readonly server: string;
  /** PEM. Default: the system's CAs. */
  readonly ca?: string | undefined;
  /** Read again when it changes, so that a CA can be rotated without a restart. */
  readonly caFile?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name that the server's certificate must have, if it isn't the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** `http://`, `https://` or `socks5://`. */
  readonly proxyUrl?: string | undefined;
  readonly credentials?: Credentials | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The context's namespace, or the pod's own. */
  readonly namespace?: string | undefined;
  /** Carries requests to the server, such as to one in this process. Default: connections to `server`. */
  readonly carry?: Carrier | undefined;
  /** The origin of this config, for messages: `context "kind" of /root/.kube/config`. */
  readonly source?: string | undefined;
}

/**
 * Carries one request to a server, and resolves with its answer: complete, or up to its body if a stream is wanted and the
 * status is below 300. Without an answer rejects with an error that has the `code` of a socket, such as `ECONNRESET`.
 */
export type Carrier = (
  request: WireRequest,
  options: {
    readonly stream: boolean;
    /** Give up after this many milliseconds without data. */
    readonly timeout: number;
    readonly signal: AbortSignal | undefined;
  },
) => Promise<Answer>;

/** Provides the credentials for every request. */
export interface Credentials {
  /** The current credentials. `refresh` is true after a 401, when cached ones are invalid. `clock` measures expiry. */
  current(options: {
    readonly refresh: boolean;
    readonly clock?: Clock | undefined;
  }): AuthInfo | Promise<AuthInfo>;
  /** Notifies an observer from now on, if there is anything to report. */
  observe?(observer: CredentialsObserver): void;
}

/** Is notified of what a credential program does, for metrics. */
export interface CredentialsObserver {
  /** It ran; -1 means that a signal ended it. */
  programRan(code: number, ending: ProgramEnding): void;
  /** It returned another certificate than before, or none. */
  certificateChanged(certificate: CertificateSpan | undefined): void;
}

/** The result of a run of a credential program, in client-go's words. */
export type ProgramEnding =
  | "no_error"
  | "plugin_execution_error"
  | "plugin_not_found_error"
  | "client_internal_error";

/** The validity of a certificate, in milliseconds since the epoch. */
export interface CertificateSpan {
  readonly from: number;
  readonly to: number;
}

/** A token, a username and password, a client certificate, or several of them. */
export interface AuthInfo {
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM. */
  readonly cert?: string | undefined;
  /** PEM. */
  readonly key?: string | undefined;
}

/** Impersonates another user, which the caller must be allowed to do. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: { readonly [name: string]: readonly string[] } | undefined;
}

/** The headers for authentication and impersonation. */
export function identityHeaders(
  { token, username, password }: AuthInfo,
  impersonate: Impersonation | undefined,
): { [name: string]: string | string[] } {
  const headers: { [name: string]: string | string[] } = {};
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  else if (username !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
  }
  if (impersonate === undefined) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid !== undefined) headers["impersonate-uid"] = impersonate.uid;
  if (impersonate.groups?.length) headers["impersonate-group"] = [...impersonate.groups];
  for (const [name, values] of Object.entries(impersonate.extra ?? {})) {
    // Names of extra fields may contain characters that are invalid in headers; the server decodes them.
    headers[`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`] = [...values];
  }
  return headers;
}
