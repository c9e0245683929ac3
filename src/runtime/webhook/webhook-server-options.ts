/** How webhooks are served. */
export interface WebhookServerOptions {
  /** Off where no API server can reach this process; on unless turned off. */
  readonly enabled?: boolean | undefined;
  /** 9443 unless said otherwise. */
  readonly port?: number | undefined;
  /** All addresses unless given. */
  readonly host?: string | undefined;
  /** Folder with the certificate and its key, read again when they change. */
  readonly certPath?: string | undefined;
  /** `tls.crt` unless said otherwise. */
  readonly certName?: string | undefined;
  /** `tls.key` unless said otherwise. */
  readonly keyName?: string | undefined;
  /** Make the certificate here in place of reading it, for clusters without cert-manager. */
  readonly selfManaged?: SelfManagedCertificateOptions | undefined;
  /** A file in `certPath` with the authorities of client certificates; then every caller needs one. */
  readonly clientCaName?: string | undefined;
}

/** How a webhook certificate of one's own is made: kept in a Secret, replaced in time, and trusted by the API server. */
export interface SelfManagedCertificateOptions {
  /** The Service in front of the webhooks. */
  readonly service: string;
  /** Its namespace; the pod's own unless given. */
  readonly namespace?: string | undefined;
  /** The Secret that all replicas share; `<service>-cert` unless said otherwise. */
  readonly secret?: string | undefined;
  /** Days that a certificate lasts; 90 unless said otherwise. It is replaced after two thirds of them. */
  readonly days?: number | undefined;
}
