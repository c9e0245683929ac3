import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PageRecord } from "../record/page-record.ts";
import { describeFailure } from "./describe-failure.ts";
import { PageAccess } from "./page-access.ts";
import type { PageActions } from "./page-action.ts";
import { pageHeaders } from "./page-headers.ts";
import { readJsonBody } from "./read-json-body.ts";
import { RequestError } from "./request-error.ts";
import { streamRecord } from "./stream-record.ts";

/** A file of the page. */
export interface PageAsset {
  /** Its content type. */
  readonly type: string;
  readonly body: string | Buffer;
}

export interface PageOptions {
  /** The files by their paths: `/`, `/page.js`. Whoever asks gets them. */
  readonly assets: ReadonlyMap<string, PageAsset>;
  readonly record: PageRecord;
  /** What the page may do. Default: nothing. */
  readonly actions?: PageActions | undefined;
}

/** A page that is served. */
export interface Page {
  /** With the token after the `#`, which browsers don't send. */
  readonly url: string;
  stop(): Promise<void>;
}

const mostBody = 4 * 1024 * 1024;

/** Serves a page to the browser of this machine's user, on loopback: only with the URL does one get the record. */
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
      response.writeHead(200, { "content-type": asset.type }).end(method === "HEAD" ? undefined : asset.body);
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
    const done = await actions[name]!(await readJsonBody(request, mostBody));
    sendJson(response, 200, done ?? {});
  };
  const port = await listen(server);
  access = new PageAccess(port);
  return { url: `http://127.0.0.1:${port}/#${access.token}`, stop: () => close(server) };
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

/** Readers of the record stay until they are cut off. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
