// The HTTP side of the page, whose code is in `src/dashboard`. Begin here: it serves the page's files, the record and the actions.
// `session-actions` has the actions, and `page-action` is their contract.

import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { type Finding, groupBy } from "../record/findings/finding.ts";
import type { PageRecord } from "../record/page-record.ts";
import { type PageActions, RequestError, describeFailure } from "./page-action.ts";

/** A file of the page. */
export interface PageAsset {
  /** The content type. */
  readonly type: string;
  readonly body: string | Buffer;
  /** The body compressed with Brotli, if the build did so. */
  readonly brotli?: Buffer | undefined;
}

/** The files, the record and the actions that a page server serves. */
export interface PageOptions {
  /** The files by their paths: `/`, `/page.js`. They are public; the record and the actions need the token. */
  readonly assets: ReadonlyMap<string, PageAsset>;
  readonly record: PageRecord;
  /** The actions that the page may execute. Default: none. */
  readonly actions?: PageActions | undefined;
}

/** A running page server. */
export interface Page {
  /** The address, with the token in its fragment, which browsers do not send. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The number of bytes that the body of an action has at most. */
const maxBody = 4 * 1024 * 1024;

/** The headers of every answer: the page may run only its own script, and other sites cannot embed or read it. */
const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** Serves a page on loopback. Only readers with the token in the URL get the record. */
export async function startPage({ assets, record, actions = {} }: PageOptions): Promise<Page> {
  let access: PageAccess;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    answer(request, response).catch((error: unknown) => {
      const { code, failure } = describeFailure(error);
      if (response.headersSent) return void response.destroy();
      const headers = error instanceof RequestError ? error.headers : {};
      sendJson(response, code, failure, headers);
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, method = "" } = request;
    if (!access.isOwnHost(headers)) throw new RequestError(403, "forbidden");
    const [pathname = ""] = (request.url ?? "").split("?");
    const asset = assets.get(pathname);
    if (asset) {
      refuseMethod(method, ["GET", "HEAD"]);
      const { type, body, brotli } = asset;
      const takesBrotli = /(?:^|[\s,])br(?:$|[\s,])/u.test(headers["accept-encoding"] ?? "");
      const [sent, encoding] =
        brotli && takesBrotli ? ([brotli, { "content-encoding": "br" }] as const) : ([body, {}] as const);
      response
        .writeHead(200, { "content-type": type, ...encoding })
        .end(method === "HEAD" ? undefined : sent);
      return;
    }
    const refusal = access.refuse(headers);
    if (refusal) throw new RequestError(refusal, refusal === 401 ? "unauthorized" : "forbidden");
    if (pathname === "/record") {
      refuseMethod(method, ["GET"]);
      return streamRecord(record, Object.keys(actions), response);
    }
    const [, name = ""] = /^\/actions\/([a-z-]+)$/u.exec(pathname) ?? [];
    if (!Object.hasOwn(actions, name)) throw new RequestError(404, "not found");
    refuseMethod(method, ["POST"]);
    const result = await actions[name]!(await readJsonBody(request));
    sendJson(response, 200, result ?? {});
  };
  const port = await listen(server);
  access = new PageAccess(port);
  return { url: `http://127.0.0.1:${port}/#${access.token}`, stop: () => close(server) };
}

/**
 * Sends the lines so far, the findings in them, one line of type `live` with the actions' names (or `end`), then new lines, and
 * what has changed in the findings. Slow readers are cut off.
 */
async function streamRecord(
  record: PageRecord,
  actions: readonly string[],
  response: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  const { past, live, findings, close } = record.read(() => response.destroy());
  response.once("close", () => {
    closed.abort();
    close();
  });
  const send = async (bytes: Buffer | string): Promise<void> => {
    if (closed.signal.aborted) return;
    if (response.write(bytes)) await setImmediate();
    else await once(response, "drain", { signal: closed.signal }).catch(() => undefined);
  };
  const sendAll = async (pieces: Iterable<Buffer> | AsyncIterable<Buffer>, after = (): void => undefined) => {
    for await (const piece of pieces) {
      if (closed.signal.aborted) return;
      await send(piece);
      after();
    }
  };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  await sendAll(past);
  const news = new FindingsNews();
  await send(news.next(findings()));
  await send(`${JSON.stringify(live ? { type: "live", actions } : { type: "end" })}\n`);
  if (live) {
    let [toldAt, cost] = [-Infinity, 0];
    const tell = (): void => {
      const started = performance.now();
      // Thousands of findings take their time: at most a twentieth of it.
      if (closed.signal.aborted || response.writableNeedDrain || started - toldAt < 20 * cost) return;
      const text = news.next(findings());
      if (text !== "") response.write(text);
      toldAt = performance.now();
      cost = toldAt - started;
    };
    // A deletion becomes a finding when nothing happens.
    const timer = setInterval(tell, 1000);
    closed.signal.addEventListener("abort", () => clearInterval(timer));
    await sendAll(live, tell);
    clearInterval(timer);
  }
  response.end();
}

/** Tells a reader what has changed in a list of findings since the last time. */
class FindingsNews {
  /** The findings that the reader has. Most stay the same objects, and none of those is written as JSON again. */
  #known = new Map<Finding, { readonly number: number; readonly text: string }>();
  #count = 0;

  /** Returns a line of type `findings`: those that are new or have changed, with numbers, and the numbers of others that are gone. */
  next(findings: readonly Finding[]): string {
    const before = this.#known;
    this.#known = new Map();
    for (const finding of findings) {
      const told = before.get(finding);
      if (told) this.#known.set(finding, told);
      before.delete(finding);
    }
    // Two findings may have the same text: each has a number of its own.
    const left = groupBy([...before.values()], ({ text }) => text);
    const added: [number, Finding][] = [];
    for (const finding of findings) {
      if (this.#known.has(finding)) continue;
      const text = JSON.stringify(finding);
      let told = left.get(text)?.pop();
      if (told === undefined) added.push([(told = { number: this.#count++, text }).number, finding]);
      this.#known.set(finding, told);
    }
    const gone = [...left.values()].flat().map(({ number }) => number);
    if (added.length === 0 && gone.length === 0) return "";
    return `${JSON.stringify({ type: "findings", added, gone })}\n`;
  }
}

/** Decides about access to the record and the actions: only for a page of this server with the token. */
class PageAccess {
  readonly token = randomBytes(32).toString("base64url");
  readonly #digest = digestOf(`Bearer ${this.token}`);
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Returns true if the Host is this machine. A site of somebody else may let its own name point here (DNS rebinding). */
  isOwnHost({ host }: IncomingHttpHeaders): boolean {
    return host === `127.0.0.1:${this.#port}` || host === `localhost:${this.#port}`;
  }

  /** Returns the status code of a refusal; undefined if the request is allowed. */
  refuse(headers: IncomingHttpHeaders): 401 | 403 | undefined {
    const { host, origin, authorization = "", "sec-fetch-site": site } = headers;
    if (origin !== undefined && origin !== `http://${host}`) return 403;
    if (site !== undefined && site !== "same-origin") return 403;
    return timingSafeEqual(digestOf(authorization), this.#digest) ? undefined : 401;
  }
}

/** Digests have equal lengths, so that the time of a comparison tells nothing about the token. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Reads a JSON body. Its content type protects from forms of other sites, which cannot send it. */
async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new RequestError(415, "the content type must be application/json");
  const parts: Buffer[] = [];
  let length = 0;
  // By default, leaving the loop would destroy the connection before the answer is sent.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += (part as Buffer).length;
    if (length > maxBody)
      throw new RequestError(413, `the body has more than ${maxBody} bytes`, { connection: "close" });
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new RequestError(400, "the body is not JSON");
  }
}

function refuseMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new RequestError(405, "method not allowed", { allow: allowed.join(", ") });
}

function sendJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(code, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Closes the server with all connections: readers of the record would stay forever. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
