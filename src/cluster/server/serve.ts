import type { IncomingMessage, ServerResponse } from "node:http";
import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import { jsonType } from "../http/reply.ts";
import { parseRequest, type RequestInfo } from "../http/request-info.ts";
import { readBody } from "../http/read-body.ts";
import type { Handler, ReceivedRequest, RequestContext } from "../http/request-context.ts";
import { sendReply } from "./send-reply.ts";
import { badRequest, type StatusError } from "../contract/status-error.ts";
import type { TimeSlices } from "../http/time-slices.ts";
import type { User } from "../contract/user.ts";

/** Receives errors of responses that could not be sent. */
export type Report = (error: unknown) => void;

/** What answers requests, and how. */
export interface ServeOptions {
  readonly handler: Handler;
  readonly report: Report;
  /** Those of the cluster: large bodies are sent in slices, too. */
  readonly slices: TimeSlices;
}

/** Makes a listener for node:https from a handler. */
export function serve(options: ServeOptions): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void answer(options, request, response);
}

async function answer(
  { handler, report, slices }: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const context = contextOf(new Received(request), response);
  if (!context) return refuse(response, badRequest("the request's URL is malformed"));
  try {
    await sendReply(context, response, await handler(context), slices);
  } catch (error) {
    if (!isDisconnect(context, error)) report(failedRequest(context, error));
    refuse(response, statusErrorOf(error));
  }
}

class Received implements ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly socket: object;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = request.headers;
    this.rawHeaders = request.rawHeaders;
    this.socket = request.socket;
    this.#request = request;
  }

  get errored(): Error | null {
    return this.#request.errored;
  }

  readBody(): Promise<Buffer> {
    return readBody(this.#request);
  }
}

/** Responds with a Status, or ends the connection if a response has begun but is not complete. */
function refuse(response: ServerResponse, { code, status }: StatusError): void {
  if (response.writableEnded) return;
  if (response.headersSent) response.destroy();
  else response.writeHead(code, { "Content-Type": jsonType }).end(JSON.stringify(status));
}

/** Where a response goes. */
interface Connection {
  readonly destroyed: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** The context of a request; undefined if its URL is malformed. */
export function contextOf(request: ReceivedRequest, connection: Connection): RequestContext | undefined {
  const { method, url: target } = request;
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1));
  try {
    return new Context(request, connection, query, parseRequest(method, path, query));
  } catch {
    return undefined;
  }
}

class Context implements RequestContext {
  readonly request: ReceivedRequest;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly warnings = new Set<string>();
  user: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  readonly #connection: Connection;
  #gone: AbortController | undefined;

  constructor(request: ReceivedRequest, connection: Connection, query: URLSearchParams, info: RequestInfo) {
    this.request = request;
    this.method = request.method;
    this.#connection = connection;
    this.query = query;
    this.info = info;
  }

  /** Created on first use: few requests need it, and it costs more than the rest of the context. */
  get signal(): AbortSignal {
    this.#gone ??= abortOnClose(this.#connection);
    return this.#gone.signal;
  }
}

function abortOnClose(connection: Connection): AbortController {
  const gone = new AbortController();
  if (connection.destroyed) gone.abort();
  else connection.on("close", () => gone.abort());
  return gone;
}
