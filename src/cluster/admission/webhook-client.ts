import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { posix } from "node:path";
import type { WebhookClientConfig } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";

/** Finds the local process behind a Service; undefined if there is none. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => { host: string; port: number } | undefined;

/** Calls webhooks over TLS. Services have no network here: a resolver returns the local port behind each. */
export class WebhookClient {
  readonly #resolve: ServiceResolver;

  constructor(resolve: ServiceResolver) {
    this.#resolve = resolve;
  }

  /** Posts a review and returns the review in the response. Errors are worded as Go words them. */
  async post(config: WebhookClientConfig, body: object, timeoutSeconds: number): Promise<unknown> {
    const target = this.#target(config, timeoutSeconds);
    const { code, text } = await send(target, JSON.stringify(body), config.caBundle, timeoutSeconds);
    if (code !== 200)
      throw new Error(
        `an error on the server (${JSON.stringify(text.slice(0, 500))}) has prevented the request from succeeding`,
      );
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(
        "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got malformed JSON",
      );
    }
  }

  #target({ url, service }: WebhookClientConfig, timeout: number): Target {
    if (url) {
      const parsed = new URL(url);
      parsed.pathname = cleaned(parsed.pathname);
      const shown = parsed.search ? parsed.href : `${parsed.href}?timeout=${timeout}s`;
      return {
        shown,
        url: parsed,
        host: parsed.hostname,
        port: Number(parsed.port) || 443,
        serverName: parsed.hostname,
      };
    }
    const { namespace, name, path = "/", port = 443 } = service!;
    const serverName = `${name}.${namespace}.svc`;
    const parsed = new URL(`https://${serverName}:${port}${cleaned(path)}`);
    const shown = `${parsed.href.replace(/^(https:\/\/[^/:]+)\//, `$1:${port}/`)}?timeout=${timeout}s`;
    const found = this.#resolve(namespace, name, port);
    if (!found) throw new WebhookUnreachableError(shown, `service ${JSON.stringify(name)} not found`);
    return { shown, url: parsed, host: found.host, port: found.port, serverName };
  }
}

/** Go's client joins the parts of a path; envtest writes two slashes, which webhook servers redirect. */
function cleaned(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

export class WebhookUnreachableError extends Error {
  constructor(shown: string, why: string) {
    super(`Post ${JSON.stringify(shown)}: ${why}`);
  }
}

interface Target {
  readonly shown: string;
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

function send(
  { shown, url, host, port, serverName }: Target,
  body: string,
  caBundle: string | undefined,
  timeoutSeconds: number,
): Promise<{ code: number; text: string }> {
  const isPlain = url.protocol === "http:";
  const path = `${url.pathname}${url.search ? `${url.search}&` : "?"}timeout=${timeoutSeconds}s`;
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
        resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    const timer = setTimeout(() => {
      call.destroy(new Error("context deadline exceeded"));
    }, timeoutSeconds * 1000);
    call.on("error", fail);
    call.end(body);
    function fail(error: Error & { code?: string }): void {
      clearTimeout(timer);
      const why =
        error.code === "ECONNREFUSED"
          ? `dial tcp ${host}:${port}: connect: connection refused`
          : error.message;
      reject(new WebhookUnreachableError(shown, why));
    }
  });
}
