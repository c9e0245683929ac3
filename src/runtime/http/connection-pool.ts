import net from "node:net";
import tls from "node:tls";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { AuthInfo, ClusterConfig } from "./config.ts";
import { onAbort, withTimeout } from "../clock/waits.ts";
import { BrokenConnectionError, ConnectTimeoutError } from "./http-errors.ts";
import { type ConnectionOwner, HttpConnection } from "./http-connection.ts";
import { ReloadedFile } from "./reloaded-file.ts";
import type { LookupReport } from "./transport.ts";
import { openTunnel, unbracketed } from "./proxy-tunnel.ts";

/** The purpose of a connection. */
export interface ConnectionRequest {
  readonly stream: boolean;
  readonly credential: AuthInfo;
  /** Read the CA file again even if the cached content is fresh. */
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

/** The target of a connection, and its TLS settings. */
interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly proxyUrl: string | undefined;
  /** Called with the time of the DNS lookup. */
  readonly onLookup: ((report: LookupReport) => void) | undefined;
  readonly clock: Clock;
  /** Undefined for plain HTTP. */
  readonly secure: SecureTarget | undefined;
}

/** The TLS settings of a target. */
interface SecureTarget {
  readonly context: tls.SecureContext;
  /** The name that the server's certificate must have. */
  readonly name: string;
  /** Don't verify the server's certificate. */
  readonly skipsVerification: boolean;
  /** The TLS session of the last connection, resumed by the next one. */
  session: Buffer | undefined;
}

/** The connections with the same certificates: those for requests, and those for streams. */
interface Lanes {
  readonly ca: string | undefined;
  readonly credential: AuthInfo;
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
  open({ signal, ...request }: ConnectionRequest): Promise<net.Socket> {
    const { clock, connectTimeout } = this.#options;
    const open = async (signal: AbortSignal) => openSocket(this.#lanes(request).target, signal);
    return withTimeout(clock, connectTimeout, signal, open, () => new ConnectTimeoutError(connectTimeout));
  }

  /** Closes all connections, or only idle ones. */
  close({ onlyIdle = false } = {}): void {
    for (const lane of [this.#current?.requests, this.#current?.streams]) lane?.close({ onlyIdle });
    this.#current = undefined;
  }

  #lanes({ credential, refresh }: Pick<ConnectionRequest, "credential" | "refresh">): Lanes {
    const ca = this.#config.ca ?? this.#caFile?.read({ refresh, clock: this.#options.clock });
    if (!this.#current || this.#current.ca !== ca || !hasSameKeyPair(this.#current.credential, credential)) {
      // Running requests finish on the old connections.
      this.close({ onlyIdle: true });
      const target = this.#target(ca, credential);
      const { maxConnections, connectTimeout, clock } = this.#options;
      const limits = { connectTimeout, clock };
      this.#current = {
        ca,
        credential,
        target,
        requests: new ConnectionLane(target, { ...limits, maxConnections, maxIdle: 16 }),
        streams: new ConnectionLane(target, { ...limits, maxConnections: Infinity, maxIdle: 4 }),
      };
    }
    return this.#current;
  }

  #target(ca: string | undefined, { cert, key }: AuthInfo): SocketTarget {
    const { server, proxyUrl, tlsServerName, insecureSkipTlsVerify } = this.#config;
    const url = new URL(server);
    const host = unbracketed(url.hostname);
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
            skipsVerification: insecureSkipTlsVerify ?? false,
            session: undefined,
          }
        : undefined,
    };
  }

  /** Throws for a CA file without certificates: Node would ignore it, and not say why the server isn't trusted. */
  #secureContext(ca: string | undefined, { cert, key }: AuthInfo): tls.SecureContext {
    const { source = this.#config.server } = this.#config;
    if (ca !== undefined && !ca.includes("-----BEGIN "))
      throw new Error(`the certificate authority of ${source} holds no certificate in PEM`);
    try {
      return tls.createSecureContext({
        ca,
        cert,
        key,
        ciphers: tls.DEFAULT_CIPHERS,
        // As in Go, the config may hold an intermediate CA, or the server's own certificate.
        allowPartialTrustChain: true,
      });
    } catch (cause) {
      throw new Error(`the certificates of ${source} can't be used: ${(cause as Error).message}`, { cause });
    }
  }
}

/** Limits of a lane, and how it opens connections. */
interface LaneLimits {
  readonly maxConnections: number;
  readonly maxIdle: number;
  /** Time limit for opening a connection, in milliseconds. */
  readonly connectTimeout: number;
  readonly clock: Clock;
}

/** After this many milliseconds, a slow attempt gets another one beside it; the first connection that opens is used. */
const slowAfter = 1000;

/** While some attempts are slow, this many others may run at a time, so that a slow server isn't flooded. */
const maxPromptAttempts = 4;

/** A request that waits for a connection. */
interface WaitingRequest {
  /** Its position, counted together with the attempts. */
  readonly number: number;
  readonly resolve: (connection: HttpConnection) => void;
  readonly reject: (error: unknown) => void;
}

/** An attempt to open a connection. */
interface Attempt {
  readonly number: number;
  readonly abort: AbortController;
  isSlow: boolean;
}

/** The connections for one purpose. A request that finds none idle waits for the first that opens or becomes idle. */
class ConnectionLane implements ConnectionOwner {
  readonly #target: SocketTarget;
  readonly #limits: LaneLimits;
  readonly #all = new Set<HttpConnection>();
  readonly #idle: HttpConnection[] = [];
  readonly #waiting = new Set<WaitingRequest>();
  /** The oldest first. */
  readonly #attempts = new Set<Attempt>();
  #lastNumber = 0;
  #isClosed = false;

  constructor(target: SocketTarget, limits: LaneLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /** Takes the most recently used idle connection, so that unnecessary ones reach their idle limit, or waits for one. */
  acquire(signal: AbortSignal | undefined): HttpConnection | Promise<HttpConnection> {
    signal?.throwIfAborted();
    const idle = this.#idle.pop();
    if (idle) return idle;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        forget();
        this.#waiting.delete(waiting);
        finish();
      };
      const waiting: WaitingRequest = {
        number: ++this.#lastNumber,
        resolve: (connection) => settle(() => resolve(connection)),
        reject: (error) => settle(() => reject(error)),
      };
      const forget = onAbort(signal, () => {
        waiting.reject(signal?.reason);
        this.#abortSurplus([...this.#attempts]);
      });
      this.#waiting.add(waiting);
      this.#openMore();
    });
  }

  /**
   * Closes all connections and rejects waiting requests; or closes only idle connections and serves waiting requests.
   */
  close({ onlyIdle }: { readonly onlyIdle: boolean }): void {
    this.#isClosed = true;
    for (const connection of onlyIdle ? this.#idle.splice(0) : [...this.#all]) connection.destroy();
    if (onlyIdle) return;
    for (const waiting of this.#waiting) waiting.reject(new Error("the client was closed"));
    this.#abortSurplus([...this.#attempts]);
  }

  onFree(connection: HttpConnection): void {
    const [next] = this.#waiting;
    if (next) next.resolve(connection);
    else if (this.#isClosed || this.#idle.length >= this.#limits.maxIdle) connection.destroy();
    else this.#idle.push(connection);
    this.#abortSurplus([...this.#attempts].filter(({ isSlow }) => isSlow));
  }

  onGone(connection: HttpConnection, isSuspect: boolean): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (isSuspect) for (const other of this.#idle.splice(0)) other.destroy();
    this.#openMore();
  }

  /** Starts attempts, one per waiting request. Slow ones don't count, so that a path that hangs blocks nobody. */
  #openMore(): void {
    const { maxConnections } = this.#limits;
    for (;;) {
      const slow = [...this.#attempts].filter(({ isSlow }) => isSlow).length;
      const prompt = this.#attempts.size - slow;
      const wanted = slow === 0 ? this.#waiting.size : Math.min(this.#waiting.size, maxPromptAttempts);
      if (prompt >= wanted || this.#all.size + prompt >= maxConnections) return;
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    const attempt = { number: ++this.#lastNumber, abort: new AbortController(), isSlow: false };
    this.#attempts.add(attempt);
    const stopTimers = this.#startTimers(attempt);
    try {
      const socket = await openSocket(this.#target, attempt.abort.signal);
      this.#attempts.delete(attempt);
      // A slow attempt may succeed when others have used up the limit.
      if (this.#all.size >= this.#limits.maxConnections) return void socket.destroy();
      const connection = new HttpConnection(socket, this, this.#limits.clock);
      this.#all.add(connection);
      connection.rest();
    } catch (error) {
      if (!this.#attempts.delete(attempt)) return;
      // Requests that came after this attempt started get an attempt of their own.
      const [next] = this.#waiting;
      if (next && next.number < attempt.number) next.reject(error);
      this.#abortSurplus([...this.#attempts].filter(({ isSlow }) => isSlow));
    } finally {
      stopTimers();
      this.#openMore();
    }
  }

  /** Marks an attempt as slow after a while, and aborts it after the timeout. Returns a function that ends both. */
  #startTimers(attempt: Attempt): () => void {
    const { clock, connectTimeout } = this.#limits;
    const timers = [
      clock.setTimer(() => {
        attempt.isSlow = true;
        this.#openMore();
      }, slowAfter),
      clock.setTimer(() => attempt.abort.abort(new ConnectTimeoutError(connectTimeout)), connectTimeout),
    ];
    return () => {
      for (const cancel of timers) cancel();
    };
  }

  /** Ends the oldest of these attempts, while there are more attempts than waiting requests. */
  #abortSurplus(attempts: readonly Attempt[]): void {
    let surplus = this.#attempts.size - this.#waiting.size;
    for (const attempt of attempts) {
      if (surplus-- <= 0) return;
      this.#attempts.delete(attempt);
      attempt.abort.abort(new Error("no request waits for this connection any more"));
    }
  }
}

/** Resolves with a connected socket; rejects with the signal's reason if it is aborted before. */
async function openSocket(target: SocketTarget, signal: AbortSignal): Promise<net.Socket> {
  const { host, port, proxyUrl, secure, onLookup, clock } = target;
  const tunnel = proxyUrl === undefined ? undefined : await openTunnel(proxyUrl, { host, port, signal });
  if (signal.aborted) tunnel?.destroy();
  signal.throwIfAborted();
  if (tunnel && !secure) return tunnel;
  const socket = secure
    ? tls.connect({ ...(tunnel ? { socket: tunnel } : { host, port }), ...tlsOptions(secure) })
    : net.connect({ host, port });
  // A socket may emit several errors; none must end the program.
  socket.on("error", () => {});
  const started = clock.monotonic();
  socket.once("lookup", () => onLookup?.({ host, seconds: (clock.monotonic() - started) / 1000 }));
  if (secure) socket.on("session", (session: Buffer) => void (secure.session = session));
  const forget = onAbort(signal, () => socket.destroy(signal.reason as Error));
  try {
    await waitUntilOpen(socket, secure ? "secureConnect" : "connect");
  } catch (error) {
    if (secure) secure.session = undefined;
    socket.destroy();
    throw error;
  } finally {
    forget();
  }
  return socket;
}

/** Resolves when a socket is open; rejects if it fails or closes before. */
function waitUntilOpen(socket: net.Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners: { [event: string]: (error?: Error) => void } = {
      [event]: () => settle(resolve),
      error: (error) => settle(() => reject(error!)),
      close: () => settle(() => reject(new BrokenConnectionError())),
    };
    const settle = (finish: () => void): void => {
      for (const name in listeners) socket.off(name, listeners[name]!);
      finish();
    };
    for (const name in listeners) socket.on(name, listeners[name]!);
  });
}

function tlsOptions(secure: SecureTarget): tls.ConnectionOptions {
  const { context, name, skipsVerification, session } = secure;
  return {
    secureContext: context,
    ...(skipsVerification && { rejectUnauthorized: false }),
    ALPNProtocols: ["http/1.1"],
    ...(session && { session }),
    // SNI doesn't allow IP addresses, but a certificate may be for one.
    ...(net.isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
  };
}

function hasSameKeyPair(left: AuthInfo, right: AuthInfo): boolean {
  return left.cert === right.cert && left.key === right.key;
}
