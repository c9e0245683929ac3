import { type RequestOptions, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { posix } from "node:path";
import * as tls from "node:tls";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { WebhookClientConfig } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { Connect } from "../../contract/kubelet-tls.ts";
import { explainYAML, parseGoYAML } from "../../codec/go-yaml.ts";
import { explainJSON } from "../../codec/go-json.ts";

/** Finds the local process behind a Service; undefined if there is none. */
export type ServiceResolver = (namespace: string, name: string, port: number) => WebhookPlace | undefined;

/** Where a webhook listens; `connect` if that is in the network of nodes. */
export interface WebhookPlace {
  readonly host: string;
  readonly port: number;
  readonly connect?: Connect | undefined;
}

/** A call of a webhook, for a `WebhookCarrier`. */
export interface WebhookPost {
  readonly config: WebhookClientConfig;
  /** The path with the query. */
  readonly path: string;
  readonly body: string;
  readonly timeoutSeconds: number;
}

/** Delivers a call to a webhook in place of HTTP; rejects if the webhook can't be reached. */
export type WebhookCarrier = (post: WebhookPost) => Promise<WebhookReply>;

/** Returns how to connect to a host that this process doesn't reach, such as one in the network of nodes. */
export type ReachHost = (host: string) => Connect | undefined;

/** The answer of a webhook's server. */
export interface WebhookReply {
  readonly code: number;
  readonly text: string;
  /** The content type. Errors quote only text and bodies without a type. */
  readonly type?: string;
}

/** Calls webhooks. Services have no network: a resolver finds the port of each, or a carrier delivers the call. */
export class WebhookClient {
  readonly #resolve: ServiceResolver;
  readonly #carry: WebhookCarrier | undefined;
  readonly #reach: ReachHost;

  constructor(
    resolve: ServiceResolver,
    {
      carry,
      reach = () => undefined,
    }: { readonly carry?: WebhookCarrier | undefined; readonly reach?: ReachHost } = {},
  ) {
    this.#resolve = resolve;
    this.#carry = carry;
    this.#reach = reach;
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
          throw new WebhookUnreachableError(address.goUrl, error.message);
        },
      );
    return send({ ...address, ...this.#locate(config, address) }, body, config.caBundle, timeoutSeconds);
  }

  #locate({ service }: WebhookClientConfig, { url, goUrl }: Address): WebhookPlace {
    const port = Number(url.port) || 443;
    if (!service) return { host: url.hostname, port, connect: this.#reach(url.hostname) };
    const { namespace, name } = service;
    const endpoint = this.#resolve(namespace, name, port);
    if (!endpoint) throw new WebhookUnreachableError(goUrl, `service ${JSON.stringify(name)} not found`);
    return endpoint;
  }
}

interface Address {
  /** The URL as Go's errors quote it. */
  readonly goUrl: string;
  readonly url: URL;
  /** The name that the server's certificate must have. */
  readonly serverName: string;
}

function addressOf({ url, service }: WebhookClientConfig, timeout: number): Address {
  if (url) {
    const parsed = new URL(url);
    parsed.pathname = cleanPath(parsed.pathname);
    const goUrl = parsed.search ? parsed.href : `${parsed.href}?timeout=${timeout}s`;
    return { goUrl, url: parsed, serverName: parsed.hostname };
  }
  const { namespace, name, path = "/", port = 443 } = service!;
  const serverName = `${name}.${namespace}.svc`;
  const parsed = new URL(`https://${serverName}:${port}${cleanPath(path)}`);
  const goUrl = `${parsed.href.replace(/^(https:\/\/[^/:]+)\//, `$1:${port}/`)}?timeout=${timeout}s`;
  return { goUrl, url: parsed, serverName };
}

function pathOf(url: URL, timeout: number): string {
  return `${url.pathname}${url.search ? `${url.search}&` : "?"}timeout=${timeout}s`;
}

/** Go's client joins the parts of a path; envtest writes two slashes, which webhook servers redirect. */
function cleanPath(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

/** An address, and the host and port to connect to, which for a Service are those of a local process. */
interface Target extends Address, WebhookPlace {}

/** The codes of Node's errors about certificates, as its manual lists them, and those of OpenSSL. */
const certificateCodes =
  /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|^ERR_(?:OSSL|SSL|TLS)|^EPROTO$/u;

/** Sends a review by HTTP or HTTPS. Rejects with a WebhookUnreachableError if there is no response in time. */
function send(
  { goUrl, url, host, port, connect, serverName }: Target,
  body: string,
  caBundle: string | undefined,
  timeoutSeconds: number,
): Promise<WebhookReply> {
  const isHTTP = url.protocol === "http:";
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
    // As in Go, any certificate in the bundle is trusted: envtest's bundle holds the serving certificate itself.
    ...(ca && { ca, allowPartialTrustChain: true }),
    // TLS accepts only names here, no addresses.
    ...(!isAddress && { servername: serverName }),
    ...(connect && { createConnection: connectThrough(connect, isHTTP) }),
  };
  return new Promise((resolve, reject) => {
    const call = (isHTTP ? httpRequest : httpsRequest)(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        clearTimeout(timer);
        const { statusCode = 0 } = response;
        const type = response.headers["content-type"] ?? "";
        resolve({ code: statusCode, text: Buffer.concat(chunks).toString("utf8"), type });
      });
    });
    const timeout = new Error("context deadline exceeded");
    const timer = setTimeout(() => call.destroy(timeout), timeoutSeconds * 1000);
    call.on("error", fail);
    call.end(body);
    function fail(error: Error & { code?: string }): void {
      clearTimeout(timer);
      const why =
        error.code === "ECONNREFUSED"
          ? `dial tcp ${host}:${port}: connect: connection refused`
          : error.message;
      const isBadCertificate = certificateCodes.test(error.code ?? "");
      const reason = error === timeout ? "Timeout" : isBadCertificate ? "BadCertificate" : "Unreachable";
      reject(new WebhookUnreachableError(goUrl, why, reason));
    }
  });
}

/** Makes connections of requests go through another network. */
function connectThrough(connect: Connect, isHTTP: boolean): RequestOptions["createConnection"] {
  return (options, done) => {
    connect(options.host!, Number(options.port)).then(
      (socket) =>
        done?.(null, isHTTP ? socket : tls.connect({ ...options, socket } as tls.ConnectionOptions)),
      (error: Error) => done?.(error, undefined!),
    );
    return undefined;
  };
}

/** Thrown if a webhook did not respond. */
export class WebhookUnreachableError extends Error {
  readonly reason: "Unreachable" | "Timeout" | "BadCertificate";

  constructor(goUrl: string, why: string, reason: WebhookUnreachableError["reason"] = "Unreachable") {
    super(`Post ${JSON.stringify(goUrl)}: ${why}`);
    this.reason = reason;
  }
}

/** Reads the review in a reply, which may be YAML. Throws the errors of Go's client. */
export function readReply({ code, text, type = "" }: WebhookReply): unknown {
  // client-go takes no other codes for success.
  if (code < 200 || code > 206)
    throw new Error(statusMessage(text) ?? explainCode(code, quotableText(type, text)));
  if (text === "") throw new Error(`0-length response with status code: ${code} and content type: ${type}`);
  try {
    return JSON.parse(text);
  } catch {
    if (!/^[ \t\r\n]*\{/u.test(text)) return parseYAML(text);
    throw new Error(`couldn't get version/kind; json parse error: ${explainJSON(text)}`);
  }
}

function parseYAML(text: string): unknown {
  try {
    return parseGoYAML(text);
  } catch (error) {
    throw new Error(explainYAML(error, text), { cause: error });
  }
}

/** The message of a Status in an error response; undefined if the text is no Status of a failure. */
function statusMessage(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    if (!isObject(status) || status["kind"] !== "Status" || status["status"] === "Success") return undefined;
    const { message } = status;
    return typeof message === "string" ? message : "";
  } catch {
    return undefined;
  }
}

/** The text of a response as errors quote it: only text, and at most 2048 characters, as in client-go. */
function quotableText(type: string, text: string): string {
  return type === "" || type.startsWith("text/") ? text.slice(0, 2048).trim() : "unknown";
}

const codeMessages: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message of client-go for a response without a Status. */
function explainCode(code: number, text: string): string {
  if ([403, 406, 415].includes(code)) return text;
  const message = codeMessages[code];
  if (message !== undefined) return message;
  return code < 500
    ? `the server responded with the status code ${code} but did not return more information`
    : `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
}
