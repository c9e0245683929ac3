import type { Duration } from "@tsbuilder/apimachinery/meta";

/** Options for serving webhooks. */
export interface WebhookServerOptions {
  /** Serve webhooks; false if no API server can reach this process. Default: true. */
  readonly enabled?: boolean | undefined;
  /** Default: 9443. */
  readonly port?: number | undefined;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  /** Folder with the certificate and its key, read again when they change. */
  readonly certPath?: string | undefined;
  /** File name of the certificate. Default: `tls.crt`. */
  readonly certName?: string | undefined;
  /** File name of the key. Default: `tls.key`. */
  readonly keyName?: string | undefined;
  /** Create the certificate instead of reading it, for clusters without cert-manager. */
  readonly selfManaged?: SelfManagedCertificateOptions | undefined;
  /** A file in `certPath` with the CAs of client certificates; if set, every caller needs one. */
  readonly clientCaName?: string | undefined;
  /**
   * How long webhooks are still served when the manager stops: nodes send requests to a pod for a moment after it was told
   * to end. Default: `0s`.
   */
  readonly shutdownDelay?: Duration | undefined;
  /**
   * Called with what answers the webhooks instead of listening on a port, and with nothing once it no longer does: for
   * simulations, which bring the calls themselves. A certificate is managed if `selfManaged` says so, but none is read.
   */
  readonly carry?: ((served: ServedWebhooks | undefined) => void) | undefined;
}

/** The webhooks of a manager that are called, not listened for. */
export interface ServedWebhooks {
  readonly paths: readonly string[];
  /** What it would show to callers, as PEM, if it manages its certificate itself. */
  certificate(): string | undefined;
  answer(call: WebhookCall): Promise<WebhookAnswer>;
}

/** A review, as it is posted. */
export interface WebhookCall {
  /** Without the query. */
  readonly path: string;
  readonly body: unknown;
  /** Aborted when the caller waits no longer. */
  readonly signal: AbortSignal;
}

/** The response of a webhook: an HTTP status and a JSON body. */
export interface WebhookAnswer {
  readonly status: number;
  readonly body: object;
}

/** Options of a managed webhook certificate: kept in a Secret, renewed in time, and trusted by the API server. */
export interface SelfManagedCertificateOptions {
  /** The Service in front of the webhooks. */
  readonly service: string;
  /** Its namespace. Default: the pod's own. */
  readonly namespace?: string | undefined;
  /** The Secret that all replicas share. Default: `<service>-cert`. */
  readonly secret?: string | undefined;
  /** Validity of a certificate in days. Default: 90. It is renewed after two thirds of them. */
  readonly days?: number | undefined;
}
