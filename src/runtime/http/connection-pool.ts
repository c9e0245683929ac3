import type net from "node:net";
import tls from "node:tls";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ClusterConfig, Credential } from "./config.ts";
import { onAbort } from "../clock/on-abort.ts";
import { ConnectTimeoutError } from "./connection-errors.ts";
import { ConnectionLane } from "./connection-lane.ts";
import type { HttpConnection } from "./http-connection.ts";
import { openSocket, type SocketTarget } from "./open-socket.ts";
import { ReloadedFile } from "./reloaded-file.ts";
import type { LookupReport } from "./transport.ts";

/** What a connection is for. */
export interface ConnectionRequest {
  readonly stream: boolean;
  readonly credential: Credential;
  /** Read the CA file again, whatever its age. */
  readonly refresh: boolean;
  /** Aborts the wait. */
  readonly signal: AbortSignal | undefined;
}

/** Limits and observers of a pool. */
export interface PoolOptions {
  readonly maxConnections: number;
  readonly connectTimeout: number;
  readonly clock: Clock;
  readonly onLookup?: ((report: LookupReport) => void) | undefined;
}

/** Connections with the same certificates. */
interface Lanes {
  readonly ca: string | undefined;
  readonly credential: Credential;
  readonly target: SocketTarget;
  readonly requests: ConnectionLane;
  readonly streams: ConnectionLane;
}

/** The connections to one server: kept alive, shared, and replaced when the certificates change. */
export class ConnectionPool {
  readonly #config: ClusterConfig;
  readonly #options: PoolOptions;
  readonly #caFile: ReloadedFile | undefined;
  #current: Lanes | undefined;

  constructor(config: ClusterConfig, options: PoolOptions) {
    this.#config = config;
    this.#options = options;
    this.#caFile = config.ca === undefined && config.caFile ? new ReloadedFile(config.caFile) : undefined;
  }

  /** A connection for one request. Streams stay open for minutes, so they have a separate limit. */
  acquire({ stream, signal, ...request }: ConnectionRequest): HttpConnection | Promise<HttpConnection> {
    const { requests, streams } = this.#lanes(request);
    return (stream ? streams : requests).acquire(signal);
  }

  /** A new connected socket, which belongs to the caller. */
  async open({ signal, ...request }: ConnectionRequest): Promise<net.Socket> {
    const { clock, connectTimeout } = this.#options;
    const abort = new AbortController();
    const forget = onAbort(signal, () => abort.abort(signal?.reason));
    const late = clock.setTimer(() => abort.abort(new ConnectTimeoutError(connectTimeout)), connectTimeout);
    try {
      return await openSocket(this.#lanes(request).target, abort.signal);
    } finally {
      forget();
      late();
    }
  }

  /** Closes all connections, or only idle ones. */
  close({ onlyIdle = false } = {}): void {
    for (const lane of [this.#current?.requests, this.#current?.streams]) lane?.close({ onlyIdle });
    this.#current = undefined;
  }

  #lanes({ credential, refresh }: Pick<ConnectionRequest, "credential" | "refresh">): Lanes {
    const ca = this.#config.ca ?? this.#caFile?.read({ refresh, clock: this.#options.clock });
    if (!this.#current || this.#current.ca !== ca || !sameKey(this.#current.credential, credential)) {
      // Running requests finish on the old connections.
      this.close({ onlyIdle: true });
      const target = this.#target(ca, credential);
      const { maxConnections, connectTimeout, clock } = this.#options;
      const limits = { connectTimeout, clock };
      this.#current = {
        ca,
        credential,
        target,
        requests: new ConnectionLane(target, { ...limits, most: maxConnections, mostFree: 16 }),
        streams: new ConnectionLane(target, { ...limits, most: Infinity, mostFree: 4 }),
      };
    }
    return this.#current;
  }

  #target(ca: string | undefined, { cert, key }: Credential): SocketTarget {
    const { server, proxyUrl, tlsServerName, insecureSkipTlsVerify } = this.#config;
    const url = new URL(server);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const isSecure = url.protocol === "https:";
    return {
      host,
      port: Number(url.port) || (isSecure ? 443 : 80),
      proxyUrl,
      onLookup: this.#options.onLookup,
      clock: this.#options.clock,
      secure: isSecure
        ? {
            context: this.#secureContext(ca, { cert, key }),
            name: tlsServerName ?? host,
            isTrustBlind: insecureSkipTlsVerify ?? false,
            session: undefined,
          }
        : undefined,
    };
  }

  /** Node ignores a CA file without certificates, and nobody could tell why the server isn't trusted. */
  #secureContext(ca: string | undefined, { cert, key }: Credential): tls.SecureContext {
    const { source = this.#config.server } = this.#config;
    if (ca !== undefined && !ca.includes("-----BEGIN "))
      throw new Error(`the certificate authority of ${source} holds no certificate in PEM`);
    try {
      return tls.createSecureContext({
        ca,
        cert,
        key,
        ciphers: tls.DEFAULT_CIPHERS,
        // As in Go, certificates in the config are trusted themselves: an intermediate CA, or the server's own
        // certificate.
        allowPartialTrustChain: true,
      });
    } catch (cause) {
      throw new Error(`the certificates of ${source} can't be used: ${(cause as Error).message}`, { cause });
    }
  }
}

function sameKey(left: Credential, right: Credential): boolean {
  return left.cert === right.cert && left.key === right.key;
}
