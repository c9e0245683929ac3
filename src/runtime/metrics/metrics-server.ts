import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { Session } from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { getHeapSnapshot } from "node:v8";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { Client } from "../client/client.ts";
import { TokenReview, type UserInfo } from "../k8s/authentication/v1.ts";
import { SubjectAccessReview } from "../k8s/authorization/v1.ts";
import { type LeveledLogger, type LogLevel, type Logger, logLevels } from "../log/logger.ts";
import type { HttpHandler, Listener, Service } from "../serve/http-listener.ts";
import { listenHttp, parseBindAddress } from "../serve/http-listener.ts";
import { CertificateFiles, type CertificateSource, listenHttps } from "../tls/certificate-files.ts";

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

/** The parts of the manager that the server uses. */
export interface MetricsServerParts {
  readonly options: MetricsOptions;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sendMetrics: HttpHandler;
}

/** Serves metrics, and other handlers for administrators of the operator, with the same authorization. */
export class MetricsServer implements Service {
  readonly #parts: MetricsServerParts;
  readonly #authorizer: RequestAuthorizer | undefined;
  readonly #handlers: { readonly [path: string]: HttpHandler };
  #listener: Listener | undefined;

  constructor(parts: MetricsServerParts) {
    this.#parts = parts;
    const { options, client, clock, log } = parts;
    this.#authorizer = options.secure ? new RequestAuthorizer(client, clock) : undefined;
    this.#handlers = {
      "/metrics": parts.sendMetrics,
      ...(options.debug === true && debugHandlers(log)),
      ...options.handlers,
    };
  }

  /** The address it listens on; undefined while it doesn't listen. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  async start(): Promise<void> {
    const { options, log } = this.#parts;
    const address = parseBindAddress(options.bindAddress ?? "0");
    if (!address) return;
    const handler: HttpHandler = (request, response) => this.#serve(request, response);
    this.#listener = options.secure
      ? await listenHttps(address, this.#certificates(), handler)
      : await listenHttp(address, handler);
    log.info("Serving metrics", { address: this.#listener.address, secure: options.secure === true });
  }

  async stop(deadline: AbortSignal): Promise<void> {
    await this.#listener?.close(deadline);
    this.#listener = undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "/").split("?")[0]!;
    const denial = await this.#authorize(request, path);
    if (denial !== undefined) {
      response.writeHead(denial, { "content-type": "text/plain; charset=utf-8" }).end();
      return;
    }
    const handler = Object.hasOwn(this.#handlers, path) ? this.#handlers[path] : undefined;
    if (!handler) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("404 page not found\n");
      return;
    }
    try {
      await handler(request, response);
    } catch (error) {
      // The caller gets a 500; the reason is in the log.
      this.#parts.log.error("A handler beside the metrics failed", { path, error });
      throw error;
    }
  }

  async #authorize(request: IncomingMessage, path: string): Promise<number | undefined> {
    try {
      return await this.#authorizer?.authorize(request, path);
    } catch (error) {
      const hint = "the operator needs the verb create on tokenreviews and subjectaccessreviews";
      this.#parts.log.error("Can't find out who asks for metrics", { error, hint });
      return 500;
    }
  }

  #certificates(): CertificateSource {
    const { options, clock, log } = this.#parts;
    const { certPath, certName, keyName } = options;
    if (!certPath) return selfSigned;
    return new CertificateFiles({ folder: certPath, certName, keyName, clock, log });
  }
}

/** How long answers of the API server are cached, in milliseconds: a permission for longer than a denial. */
const cacheLifetimes = { token: 60_000, allowed: 300_000, denied: 30_000 };
const maxCachedEntries = 4096;

/** Authorizes readers: asks the API server whose token it is, and whether that user may get the URL. */
class RequestAuthorizer {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #cached = new Map<string, { readonly value: unknown; readonly until: number }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns the status of a denial; undefined if the request is allowed. */
  async authorize(request: IncomingMessage, path: string): Promise<401 | 403 | undefined> {
    const token = /^Bearer (?<token>.+)$/i.exec(request.headers.authorization ?? "")?.groups?.["token"];
    if (token === undefined) return 401;
    const user = await this.#userOf(token);
    if (!user) return 401;
    return (await this.#isAllowed(user, path, (request.method ?? "GET").toLowerCase())) ? undefined : 403;
  }

  #userOf(token: string): Promise<UserInfo | undefined> {
    const key = `token ${createHash("sha256").update(token).digest("base64")}`;
    return this.#readCached(
      key,
      () => cacheLifetimes.token,
      async () => {
        const { status } = await this.#client.create(TokenReview, { metadata: {}, spec: { token } });
        return status?.authenticated === true ? status.user : undefined;
      },
    );
  }

  #isAllowed({ username, ...user }: UserInfo, path: string, verb: string): Promise<boolean> {
    const key = JSON.stringify([username, user, path, verb]);
    const lifetime = (allowed: boolean) => (allowed ? cacheLifetimes.allowed : cacheLifetimes.denied);
    return this.#readCached(key, lifetime, async () => {
      const spec = { ...user, user: username, nonResourceAttributes: { path, verb } };
      const { status } = await this.#client.create(SubjectAccessReview, { metadata: {}, spec });
      return status?.allowed === true;
    });
  }

  async #readCached<T>(key: string, lifetime: (value: T) => number, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#cached.get(key);
    if (known && known.until > now) return known.value as T;
    const value = await ask();
    this.#cached.delete(key);
    this.#cached.set(key, { value, until: now + lifetime(value) });
    if (this.#cached.size > maxCachedEntries) this.#cached.delete(this.#cached.keys().next().value!);
    return value;
  }
}

/** Debugging handlers for a running operator, like pprof for Go; both files open in the browser's developer tools. */
function debugHandlers(log: Logger | LeveledLogger): { readonly [path: string]: HttpHandler } {
  return {
    "/debug/heap": sendHeap,
    "/debug/profile": sendProfile,
    "/debug/log-level": (request, response) => changeLevel(log, request, response),
  };
}

async function sendHeap(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, attachment("heap.heapsnapshot"));
  await pipeline(getHeapSnapshot(), response);
}

/** Sends a CPU profile. `?seconds=` sets the duration. Default: 30. */
async function sendProfile(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = Number(new URL(request.url ?? "/", "http://debug").searchParams.get("seconds") ?? 30);
  const seconds = Math.min(Math.max(asked || 30, 0.1), 300);
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    // The profiler samples in system time.
    await new Promise((resolve) => {
      setTimeout(resolve, seconds * 1000);
    });
    const { profile } = await session.post("Profiler.stop");
    response.writeHead(200, attachment("profile.cpuprofile"));
    response.end(JSON.stringify(profile));
  } finally {
    session.disconnect();
  }
}

/** GET returns the level, PUT `?level=` sets it. */
function changeLevel(log: Logger | LeveledLogger, request: IncomingMessage, response: ServerResponse): void {
  const level = new URL(request.url ?? "/", "http://debug").searchParams.get("level");
  const answer = (status: number, text: string) =>
    void response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
  if (!("level" in log)) return answer(501, "the level of this logger is not ours to set");
  if (request.method !== "PUT") return answer(200, log.level);
  if (!logLevels.includes(level as LogLevel)) return answer(400, `level is one of ${logLevels.join(", ")}`);
  log.level = level as LogLevel;
  answer(200, log.level);
}

function attachment(name: string): { readonly [header: string]: string } {
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${name}"`,
  };
}

/** A certificate created at the start, for servers whose callers don't verify it, like most scrapers in a cluster. */
const selfSigned: CertificateSource = {
  start: async () =>
    issueCertificate(createCA({ commonName: "localhost-ca" }), {
      dnsNames: ["localhost"],
      ipAddresses: ["127.0.0.1"],
      usages: ["server"],
    }),
  stop() {},
};
