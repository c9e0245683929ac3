import type { HttpHandler } from "../serve/http-listener.ts";

/** Options for serving metrics. */
export interface MetricsOptions {
  /** The address, such as `:8443`; `0` turns metrics off. Default: `0`. */
  readonly bindAddress?: string | undefined;
  /** Serve over TLS, to callers who may `get` the non-resource URL `/metrics`. Default: false. */
  readonly secure?: boolean | undefined;
  /**
   * Folder with `tls.crt` and `tls.key`, read again when they change. Default: a self-signed certificate is created.
   */
  readonly certPath?: string | undefined;
  readonly certName?: string | undefined;
  readonly keyName?: string | undefined;
  /** Additional handlers with the same authorization, by path. */
  readonly handlers?: { readonly [path: string]: HttpHandler } | undefined;
  /** Also serve `/debug/heap`, `/debug/profile` and `/debug/log-level`. Default: false. */
  readonly debug?: boolean | undefined;
}
