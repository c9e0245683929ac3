import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { posix } from "node:path";
import type { WebhookClientConfig } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { readReply, type WebhookReply } from "./webhook-reply.ts";

/** Finds the local process behind a Service; undefined if there is none. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => { host: string; port: number } | undefined;

/** A call of a webhook, for who brings it there himself. */
export interface WebhookPost {
  readonly config: WebhookClientConfig;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  readonly timeoutSeconds: number;
}

/** Brings a call to a webhook; rejects if it can't be reached. */
export type WebhookCarrier = (post: WebhookPost) => Promise<WebhookReply>;

/** Calls webhooks. Services have no network here: a resolver returns the local port behind each, or a carrier calls. */
export class WebhookClient {
  readonly #resolve: ServiceResolver;
  readonly #carry: WebhookCarrier | undefined;

  constructor(resolve: ServiceResolver, carry?: WebhookCarrier) {
    this.#resolve = resolve;
    this.#carry = carry;
  }

  /** Posts a review and returns the review in the response. Errors are worded as Go words them. */
  async post(config: WebhookClientConfig, body: object, timeoutSeconds: number): Promise<unknown> {
    return readReply(await this.#send(config, JSON.stringify(body), timeoutSeconds));
  }

  async #send(config: WebhookClientConfig, body: string, timeoutSeconds: number): Promise<WebhookReply> {
    const address = addressOf(config, timeoutSeconds);
    if (this.#carry)
      return this.#carry({ config, path: pathOf(address.url, timeoutSeconds), body, timeoutSeconds }).catch(
        (error: Error) => {
          throw new WebhookUnreachableError(address.shown, error.message);
        },
      );
    return send({ ...address, ...this.#locate(config, address) }, body, config.caBundle, timeoutSeconds);
  }

  #locate({ service }: WebhookClientConfig, { url, shown }: Address): Pick<Target, "host" | "port"> {
    const port = Number(url.port) || 443;
    if (!service) return { host: url.hostname, port };
    const { namespace, name } = service;
    const found = this.#resolve(namespace, name, port);
    if (!found) throw new WebhookUnreachableError(shown, `service ${JSON.stringify(name)} not found`);
    return found;
  }
}

/** Where a webhook is, as its configuration says. */
interface Address {
  readonly shown: string;
  readonly url: URL;
  readonly serverName: string;
}

function addressOf({ url, service }: WebhookClientConfig, timeout: number): Address {
  if (url) {
    const parsed = new URL(url);
    parsed.pathname = cleaned(parsed.pathname);
    const shown = parsed.search ? parsed.href : `${parsed.href}?timeout=${timeout}s`;
    return { shown, url: parsed, serverName: parsed.hostname };
  }
  const { namespace, name, path = "/", port = 443 } = service!;
  const serverName = `${name}.${namespace}.svc`;
  const parsed = new URL(`https://${serverName}:${port}${cleaned(path)}`);
  const shown = `${parsed.href.replace(/^(https:\/\/[^/:]+)\//, `$1:${port}/`)}?timeout=${timeout}s`;
  return { shown, url: parsed, serverName };
}

function pathOf(url: URL, timeout: number): string {
  return `${url.pathname}${url.search ? `${url.search}&` : "?"}timeout=${timeout}s`;
}

/** Go's client joins the parts of a path; envtest writes two slashes, which webhook servers redirect. */
function cleaned(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

/** A webhook that did not answer. */
export class WebhookUnreachableError extends Error {
  readonly reason: "Unreachable" | "Timeout" | "BadCertificate";

  constructor(shown: string, why: string, reason: WebhookUnreachableError["reason"] = "Unreachable") {
    super(`Post ${JSON.stringify(shown)}: ${why}`);
    this.reason = reason;
  }
}

/** The codes of Node's errors about certificates, as its manual lists them, and those of OpenSSL. */
const certificateCodes =
  /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|^ERR_(?:OSSL|SSL|TLS)|^EPROTO$/u;

interface Target extends Address {
  readonly host: string;
  readonly port: number;
}

function send(
  { shown, url, host, port, serverName }: Target,
  body: string,
  caBundle: string | undefined,
  timeoutSeconds: number,
): Promise<WebhookReply> {
  const isPlain = url.protocol === "http:";
  const path = pathOf(url, timeoutSeconds);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Accept: "application/json, */*",
  };
  const ca = caBundle && Buffer.from(caBundle, "base64").toString("utf8");
  const isAddress = /^[\d.]+$|:/.test(serverName);
  const options = {
    host,
    port,
    path,
    method: "POST",
    headers,
    // As in Go, a certificate in the bundle is trusted whoever signed it: envtest's bundle holds the serving certificate.
    ...(ca && { ca, allowPartialTrustChain: true }),
    ...(!isAddress && { servername: serverName }),
  };
  return new Promise((resolve, reject) => {
    const call = (isPlain ? httpRequest : httpsRequest)(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        const { statusCode = 0, headers: answered } = response;
        const type = answered["content-type"] ?? "";
        resolve({ code: statusCode, text: Buffer.concat(chunks).toString("utf8"), type });
      });
    });
    const late = new Error("context deadline exceeded");
    const timer = setTimeout(() => call.destroy(late), timeoutSeconds * 1000);
    call.on("error", fail);
    call.end(body);
    function fail(error: Error & { code?: string }): void {
      clearTimeout(timer);
      const why =
        error.code === "ECONNREFUSED"
          ? `dial tcp ${host}:${port}: connect: connection refused`
          : error.message;
      const isBadCertificate = certificateCodes.test(error.code ?? "");
      const reason = error === late ? "Timeout" : isBadCertificate ? "BadCertificate" : "Unreachable";
      reject(new WebhookUnreachableError(shown, why, reason));
    }
  });
}
