// Admission and conversion webhooks. The server reads a request and responds: `admit.ts` for admission, `convert.ts` for
// conversion. `webhooks.ts` is the contract of users' code, `webhook-builder.ts` adds it, and `managed-certificate.ts`
// manages the certificate.

import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/api-error.ts";
import { readDuration, waitWithClock } from "../clock/waits.ts";
import { type LogFields, runInScope } from "../scope/scope.ts";
import type { Logger } from "../log/logger.ts";
import { HttpError, type Listener, type Service, readJson } from "../serve/http-listener.ts";
import type { Certificate, CertificateObserver, CertificateSource } from "../tls/certificate-files.ts";
import { CertificateFiles, listenHttps } from "../tls/certificate-files.ts";
import { type AdmissionHandler, reviewAdmission } from "./admit.ts";
import { isProgrammingError } from "../callbacks/callbacks.ts";
import { type ConvertedKind, convertReview } from "./convert.ts";
import { noteAdmission } from "../tracing/span-causes.ts";
import { traceWebhook } from "../tracing/tracing.ts";
import type { AdmissionRequest } from "./webhooks.ts";

/** The webhooks of a manager, for callers in the same process. */
export interface ServedWebhooks {
  readonly paths: readonly string[];
  /** The certificate that callers would get, as PEM, if the server manages its certificate itself. */
  certificate(): string | undefined;
  answer(call: WebhookCall): Promise<WebhookAnswer>;
}

/** A request to a webhook: an AdmissionReview or a ConversionReview. */
export interface WebhookCall {
  /** Without the query. */
  readonly path: string;
  readonly body: unknown;
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
}

/** The response of a webhook: an HTTP status and a JSON body. */
export interface WebhookAnswer {
  readonly status: number;
  readonly body: object;
}

/** Is notified of webhook calls, for metrics. */
export interface WebhookObserver extends CertificateObserver {
  /** A webhook was added at this path. */
  serves(path: string): void;
  /** Called when a call begins; returns a function that is called with the status at its end. */
  began(path: string): (code: number) => void;
  panicked(path: string): void;
  /** A certificate is served from now on. */
  certified(certificate: Certificate): void;
}

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
  /** How long webhooks are still served after a stop, because nodes still send requests to the pod. Default: `0s`. */
  readonly shutdownDelay?: DurationLike | undefined;
  /**
   * Called with the webhooks when they are ready, instead of listening on a port, and with undefined when the server
   * stops: for simulations, which call them in process. With `selfManaged` the certificate is managed; no files are read.
   */
  readonly carry?: ((served: ServedWebhooks | undefined) => void) | undefined;
}

/** Options of a managed webhook certificate: stored in a Secret, renewed in time, and trusted by the API server. */
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

/** The parts of the manager that the server uses. */
export interface WebhookServerParts {
  readonly options: WebhookServerOptions;
  readonly log: Logger;
  readonly clock: Clock;
  /** Makes the source of the certificate, instead of reading files; called only if there are webhooks to serve. */
  readonly certificates?: (() => CertificateSource) | undefined;
}

const conversionPath = "/convert";

/** A call whose signal and body are read only when they are needed. */
interface IncomingCall extends Pick<WebhookCall, "path"> {
  readonly signal: () => AbortSignal;
  readonly read: () => unknown;
  readonly headers?: IncomingMessage["headers"];
}

/** Serves the webhooks of a manager over TLS. Doesn't listen if it has none. */
export class WebhookServer implements Service {
  observer: WebhookObserver | undefined;
  readonly #parts: WebhookServerParts;
  readonly #handlers = new Map<string, AdmissionHandler>();
  readonly #convertedKinds = new Map<string, ConvertedKind>();
  readonly #shutdownDelay: number;
  #listener: Listener | undefined;

  constructor(parts: WebhookServerParts) {
    this.#parts = parts;
    this.#shutdownDelay = readDuration("webhooks.shutdownDelay", parts.options.shutdownDelay ?? "0s");
  }

  /** The address it listens on; undefined while it doesn't listen. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  /** True if the manager has webhooks and they are enabled. */
  get isNeeded(): boolean {
    return this.#parts.options.enabled !== false && this.#handlers.size + this.#convertedKinds.size > 0;
  }

  /** The kinds that are converted here; builders add to it. */
  get converted(): Map<string, ConvertedKind> {
    return this.#convertedKinds;
  }

  get log(): Logger {
    return this.#parts.log;
  }

  /** Serves an admission webhook at a path. Throws a `TerminalError` if the path is invalid or already used. */
  admit(path: string, handler: AdmissionHandler): void {
    if (!/^\/[A-Za-z0-9._/-]+$/.test(path)) throw new TerminalError(`"${path}" is not a valid webhook path`);
    if (path === conversionPath || this.#handlers.has(path))
      throw new TerminalError(`there are two webhooks at ${path}`);
    this.#handlers.set(path, handler);
  }

  /** A readiness check: fails until webhooks are served. */
  check(): void {
    if (this.isNeeded && !this.#listener) throw new Error("webhooks are not served yet");
  }

  async start(): Promise<void> {
    if (!this.isNeeded) return;
    const { options, log } = this.#parts;
    const { carry } = options;
    this.#listener = carry ? await this.#serveInProcess(carry) : await this.#listen();
    for (const path of this.#paths) this.observer?.serves(path);
    log.info("Serving webhooks", { address: this.#listener.address, paths: this.#paths });
  }

  #listen(): Promise<Listener> {
    const { options, log, clock } = this.#parts;
    const { port = 9443, host, certPath, certName, keyName, clientCaName } = options;
    const folder = certPath ?? join(tmpdir(), "k8s-webhook-server", "serving-certs");
    const source =
      this.#parts.certificates?.() ??
      new CertificateFiles({ folder, certName, keyName, clientCaName, clock, log, observer: this.observer });
    return listenHttps(
      { host, port },
      source,
      (request, response) => this.#serve(request, response),
      (certificate) => this.observer?.certified(certificate),
    );
  }

  /** Passes the webhooks to `carry`; closing the listener withdraws them. */
  async #serveInProcess(carry: (served: ServedWebhooks | undefined) => void): Promise<Listener> {
    const source = this.#parts.certificates?.();
    let served = await source?.start((next) => void (served = next));
    carry({
      paths: this.#paths,
      certificate: () => served?.cert,
      answer: ({ path, body, signal }) => this.#answer({ path, signal: () => signal, read: () => body }),
    });
    return {
      address: "",
      drain: () => {},
      async close() {
        source?.stop();
        carry(undefined);
      },
    };
  }

  /** Asks clients to use other connections, serves for `shutdownDelay`, because requests still come, then closes. */
  async stop(deadline: AbortSignal): Promise<void> {
    if (!this.#listener) return;
    this.#listener.drain();
    if (this.#shutdownDelay > 0) await waitWithClock(this.#parts.clock, this.#shutdownDelay, deadline);
    await this.#listener.close(deadline);
    this.#listener = undefined;
  }

  get #paths(): string[] {
    return [...this.#handlers.keys(), ...(this.#convertedKinds.size > 0 ? [conversionPath] : [])];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://webhook");
    const { status, body } = await this.#answer({
      path: url.pathname,
      headers: request.headers,
      signal: () => callSignal(url, response, this.#parts.clock),
      read: () => readJson(request),
    });
    // Unread bytes of a body would be parsed as the next request.
    const isUnread = !request.complete;
    response.writeHead(status, {
      "content-type": "application/json",
      ...(isUnread && { connection: "close" }),
    });
    response.end(JSON.stringify(body));
    if (isUnread) request.resume();
  }

  async #answer(call: IncomingCall): Promise<WebhookAnswer> {
    const { path, headers = {} } = call;
    if (!this.#paths.includes(path))
      return { status: 404, body: { message: `no webhook is served at ${path}` } };
    return traceWebhook({ path, headers }, () => this.#call(call));
  }

  async #call({ path, signal, read }: IncomingCall): Promise<WebhookAnswer> {
    const end = this.observer?.began(path);
    let status = 200;
    try {
      const review = await read();
      const body =
        path === conversionPath
          ? convertReview(this.#convertedKinds, review, (error) => this.#reportConversion(error))
          : await this.#review(path, review, signal());
      return { status, body };
    } catch (error) {
      status = error instanceof HttpError ? error.status : 500;
      if (status === 500) {
        this.observer?.panicked(path);
        this.#parts.log.error("A webhook failed", { webhook: path, error });
      }
      // Internal errors are only logged; the caller may be anybody with access to the API server.
      const message = error instanceof HttpError ? error.message : "the webhook failed; its log says why";
      return { status, body: { message } };
    } finally {
      end?.(status);
    }
  }

  #reportConversion(error: unknown): void {
    if (isProgrammingError(error)) this.observer?.panicked(conversionPath);
    this.#parts.log.error("Can't convert an object", { webhook: conversionPath, error });
  }

  #review(path: string, review: unknown, signal: AbortSignal): Promise<object> {
    const onWarning = ({ text }: { text: string }) => this.#parts.log.warn(text);
    return reviewAdmission(review, (request) => {
      const fields = () => callFields(path, request);
      return runInScope({ calls: { signal, onWarning }, logFields: fields }, async () => {
        const answer = await this.#handlers.get(path)!(request, signal);
        noteAdmission(request, fields, answer.allowed);
        return answer;
      });
    });
  }
}

function callFields(
  webhook: string,
  { uid, kind, name, namespace, operation, subResource, userInfo }: AdmissionRequest,
): LogFields {
  return {
    webhook,
    webhookGroup: kind.group,
    webhookKind: kind.kind,
    operation,
    subresource: subResource,
    name,
    namespace,
    user: userInfo?.username,
    requestID: uid,
  };
}

/** Aborted when the API server disconnects, or after the timeout that it sent. */
function callSignal(url: URL, response: ServerResponse, clock: Clock): AbortSignal {
  const abort = new AbortController();
  const seconds = /^(\d+)s$/.exec(url.searchParams.get("timeout") ?? "")?.[1];
  const cancel =
    seconds === undefined
      ? undefined
      : clock.setTimer(
          () => abort.abort(new DOMException("the API server waits no longer", "TimeoutError")),
          Number(seconds) * 1000,
        );
  response.once("close", () => {
    cancel?.();
    if (!response.writableFinished) abort.abort(new DOMException("the API server went away", "AbortError"));
  });
  return abort.signal;
}
