import type { IncomingMessage, ServerResponse } from "node:http";
import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import { jsonType } from "../http/reply.ts";
import { parseRequest, type RequestInfo } from "../http/request-info.ts";
import type { Handler, RequestContext } from "../http/request-context.ts";
import { sendReply } from "./send-reply.ts";
import { badRequest, type StatusError } from "../contract/status-error.ts";
import type { User } from "../contract/user.ts";

type Report = (error: unknown) => void;

/** Makes a listener for node:https from a handler; `report` receives errors of responses that could not be sent. */
export function serve(
  handler: Handler,
  report: Report,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void answer(handler, report, request, response);
}

async function answer(
  handler: Handler,
  report: Report,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const context = contextOf(request, response);
  if (!context) return refuse(response, badRequest("the request's URL is malformed"));
  try {
    await sendReply(context, await handler(context));
  } catch (error) {
    if (!isDisconnect(context, error)) report(failedRequest(context, error));
    refuse(response, statusErrorOf(error));
  }
}

/** Responds with a Status, or ends the connection if a response has begun but is not complete. */
function refuse(response: ServerResponse, { code, status }: StatusError): void {
  if (response.writableEnded) return;
  if (response.headersSent) response.destroy();
  else response.writeHead(code, { "Content-Type": jsonType }).end(JSON.stringify(status));
}

function contextOf(request: IncomingMessage, response: ServerResponse): RequestContext | undefined {
  const method = request.method ?? "GET";
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1));
  try {
    return new Context(request, response, method, query, parseRequest(method, path, query));
  } catch {
    return undefined;
  }
}

class Context implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly warnings = new Set<string>();
  user: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  #gone: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
    query: URLSearchParams,
    info: RequestInfo,
  ) {
    this.request = request;
    this.response = response;
    this.method = method;
    this.query = query;
    this.info = info;
  }

  /** Created on first use: few requests need it, and it costs more than the rest of the context. */
  get signal(): AbortSignal {
    this.#gone ??= abortOnClose(this.response);
    return this.#gone.signal;
  }
}

function abortOnClose(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.on("close", () => gone.abort());
  return gone;
}
