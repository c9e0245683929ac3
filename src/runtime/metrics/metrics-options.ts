import type { HttpHandler } from "../serve/http-listener.ts";

/** How metrics are served. */
export interface MetricsOptions {
  /** `:8443`; `0`, the default, turns them off. */
  readonly bindAddress?: string | undefined;
  /** Over TLS, to callers who may `get` the non-resource URL `/metrics`; off unless on. */
  readonly secure?: boolean | undefined;
  /** Folder with `tls.crt` and `tls.key`, read again when they change; without it a self-signed certificate is made. */
  readonly certPath?: string | undefined;
  readonly certName?: string | undefined;
  readonly keyName?: string | undefined;
  /** More handlers behind the same door, by path. */
  readonly handlers?: { readonly [path: string]: HttpHandler } | undefined;
  /** Serve `/debug/heap`, `/debug/profile` and `/debug/log-level` there too; off unless on. */
  readonly debug?: boolean | undefined;
}
