import type { Clock } from "@tsbuilder/apimachinery/time";

/** How to reach a cluster and as whom. `loadConfig` makes one; tests may write one by hand. */
export interface ClusterConfig {
  /** `https://10.0.0.1:6443`; `http://` for a proxy of kubectl's kind. */
  readonly server: string;
  /** PEM; the system's authorities without it. */
  readonly ca?: string | undefined;
  /** Read again when it changes, so that an authority can be replaced without a restart. */
  readonly caFile?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name the server's certificate is checked against, if it isn't the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** `http://`, `https://` or `socks5://`. */
  readonly proxyUrl?: string | undefined;
  readonly credentials?: Credentials | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The context's namespace, or the pod's own. */
  readonly namespace?: string | undefined;
  /** Where this comes from, for messages: `context "kind" of /root/.kube/config`. */
  readonly source?: string | undefined;
}

/** Proves who is calling, afresh for every request. */
export interface Credentials {
  /**
   * What to send now. `refresh` is true after a 401: an answer kept from before is no longer good. What ends does so
   * by the clock.
   */
  current(options: {
    readonly refresh: boolean;
    readonly clock?: Clock | undefined;
  }): Credential | Promise<Credential>;
  /** Tells an observer from now on, where there is something to tell. */
  observe?(observer: CredentialsObserver): void;
}

/** Receives what a credential program does, for metrics. */
export interface CredentialsObserver {
  /** It was run; -1 stands for a signal that ended it. */
  programRan(code: number, ending: ProgramEnding): void;
  /** It gave another certificate than before, or none any more. */
  certificateChanged(certificate: CertificateSpan | undefined): void;
}

/** How a run of a credential program ended, in client-go's words. */
export type ProgramEnding =
  | "no_error"
  | "plugin_execution_error"
  | "plugin_not_found_error"
  | "client_internal_error";

/** When a certificate is good, in milliseconds since the epoch. */
export interface CertificateSpan {
  readonly from: number;
  readonly to: number;
}

/** A token, a name and password, a client certificate, or several of them. */
export interface Credential {
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM. */
  readonly cert?: string | undefined;
  /** PEM. */
  readonly key?: string | undefined;
}

/** Acts as somebody else, which the caller must be allowed to. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: { readonly [name: string]: readonly string[] } | undefined;
}
