import type { IncomingMessage, ServerResponse } from "node:http";
import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import { jsonType } from "../http/reply.ts";
import { parseRequest } from "../http/request-info.ts";
import type { Handler, RequestContext } from "../http/request-context.ts";
import { sendReply } from "./send-reply.ts";
import { badRequest, type StatusError } from "../contract/status-error.ts";

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
  let gone: AbortController | undefined;
  try {
    const target = request.url ?? "/";
    const mark = target.indexOf("?");
    const path = mark === -1 ? target : target.slice(0, mark);
    const query = new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1));
    const info = parseRequest(method, path, query);
    const user = { name: "system:anonymous", groups: ["system:unauthenticated"] };
    return {
      request,
      response,
      method,
      query,
      info,
      warnings: new Set(),
      user,
      /** Created on first use: few requests need it, and it costs more than the rest of the context. */
      get signal() {
        gone ??= abortOnClose(response);
        return gone.signal;
      },
    };
  } catch {
    return undefined;
  }
}

function abortOnClose(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.on("close", () => gone.abort());
  return gone;
}
