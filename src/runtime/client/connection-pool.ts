import tls from "node:tls";
import type { ClusterConfig, Credential } from "./config.ts";
import { type ConnectionOwner, HttpConnection } from "./http-connection.ts";
import { onAbort } from "./on-abort.ts";
import { openSocket, type SocketTarget } from "./open-socket.ts";
import { ReloadedFile } from "./reloaded-file.ts";
import type { LookupReport } from "./transport.ts";

/** What a connection is for. */
export interface ConnectionRequest {
  readonly stream: boolean;
  readonly credential: Credential;
  /** Read the authority's file again, whatever its age. */
  readonly refresh: boolean;
  /** Ends the wait for one. */
  readonly signal: AbortSignal | undefined;
}

interface LaneLimits {
  readonly most: number;
  readonly mostFree: number;
  /** Milliseconds that opening a connection may take. */
  readonly timeout: number;
}

/** How many connections for requests there may be, how many milliseconds opening one may take, and who is told. */
export interface PoolOptions {
  readonly maxConnections: number;
  readonly timeout: number;
  readonly onLookup?: ((report: LookupReport) => void) | undefined;
}

/** The connections to one server: kept alive, shared, and replaced when the certificates change. */
export class ConnectionPool {
  readonly #config: ClusterConfig;
  readonly #options: PoolOptions;
  readonly #caFile: ReloadedFile | undefined;
  #current: { ca: string | undefined; credential: Credential; requests: Lane; streams: Lane } | undefined;

  constructor(config: ClusterConfig, options: PoolOptions) {
    this.#config = config;
    this.#options = options;
    this.#caFile = config.ca === undefined && config.caFile ? new ReloadedFile(config.caFile) : undefined;
  }

  /** A connection for one request. Streams stay open for minutes, so they must not use up the requests' places. */
  acquire({
    stream,
    credential,
    refresh,
    signal,
  }: ConnectionRequest): HttpConnection | Promise<HttpConnection> {
    const ca = this.#config.ca ?? this.#caFile?.read({ refresh });
    if (!this.#current || this.#current.ca !== ca || !sameKey(this.#current.credential, credential)) {
      // Requests under way finish on the old connections.
      this.close({ onlyIdle: true });
      const target = this.#target(ca, credential);
      const { maxConnections, timeout } = this.#options;
      this.#current = {
        ca,
        credential,
        requests: new Lane(target, { most: maxConnections, mostFree: 16, timeout }),
        streams: new Lane(target, { most: Infinity, mostFree: 4, timeout }),
      };
    }
    const { requests, streams } = this.#current;
    return (stream ? streams : requests).acquire(signal);
  }

  /** Closes all connections, those in use too unless told otherwise. */
  close({ onlyIdle = false } = {}): void {
    for (const lane of [this.#current?.requests, this.#current?.streams]) lane?.close({ onlyIdle });
    this.#current = undefined;
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

  /** Node passes over an authority that holds no certificate, and then nobody could say why the server isn't trusted. */
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
        // As in Go, what the config names is trusted itself: an intermediate, or the server's own certificate.
        allowPartialTrustChain: true,
      });
    } catch (cause) {
      throw new Error(`the certificates of ${source} can't be used: ${(cause as Error).message}`, { cause });
    }
  }
}

interface Waiting {
  readonly resolve: (connection: HttpConnection) => void;
  readonly reject: (error: unknown) => void;
}

/** The connections for one purpose. Who finds none free waits in a row for the first that is, be it old or new. */
class Lane implements ConnectionOwner {
  readonly #target: SocketTarget;
  readonly #limits: LaneLimits;
  readonly #all = new Set<HttpConnection>();
  readonly #free: HttpConnection[] = [];
  readonly #waiting = new Set<Waiting>();
  #opening = 0;
  #isClosed = false;

  constructor(target: SocketTarget, limits: LaneLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /** The connection used last is taken first, so that those nobody needs become idle. */
  acquire(signal: AbortSignal | undefined): HttpConnection | Promise<HttpConnection> {
    const free = this.#free.pop();
    if (free) return free;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        forget();
        this.#waiting.delete(waiting);
        finish();
      };
      const waiting: Waiting = {
        resolve: (connection) => settle(() => resolve(connection)),
        reject: (error) => settle(() => reject(error)),
      };
      const forget = onAbort(signal, () => waiting.reject(signal?.reason));
      this.#waiting.add(waiting);
      this.#openMore();
    });
  }

  /** Closes all connections and turns away who waits; or only those that are idle, and serves who waits. */
  close({ onlyIdle }: { readonly onlyIdle: boolean }): void {
    this.#isClosed = true;
    for (const connection of onlyIdle ? this.#free.splice(0) : [...this.#all]) connection.destroy();
    if (onlyIdle) return;
    for (const waiting of this.#waiting) waiting.reject(new Error("the client was closed"));
  }

  onFree(connection: HttpConnection): void {
    const [next] = this.#waiting;
    if (next) next.resolve(connection);
    else if (this.#isClosed || this.#free.length >= this.#limits.mostFree) connection.destroy();
    else this.#free.push(connection);
  }

  onGone(connection: HttpConnection, isSuspect: boolean): void {
    this.#all.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
    if (isSuspect) for (const other of this.#free.splice(0)) other.destroy();
    this.#openMore();
  }

  #openMore(): void {
    while (this.#opening < this.#waiting.size && this.#all.size + this.#opening < this.#limits.most)
      void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const socket = await openSocket(this.#target, this.#limits.timeout);
      const connection = new HttpConnection(socket, this);
      this.#all.add(connection);
      connection.rest();
    } catch (error) {
      const [next] = this.#waiting;
      next?.reject(error);
    } finally {
      this.#opening--;
      this.#openMore();
    }
  }
}

function sameKey(left: Credential, right: Credential): boolean {
  return left.cert === right.cert && left.key === right.key;
}
