import type { IncomingMessage, ServerResponse } from "node:http";
import { failedRequest, unexpectedError } from "../filters/errors.ts";
import { jsonReply } from "../http/reply.ts";
import { parseRequest } from "../http/request-info.ts";
import type { Handler, RequestContext } from "../http/request-context.ts";
import { sendReply } from "./send-reply.ts";
import { badRequest } from "../contract/status-error.ts";

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
  if (!context) {
    const { status } = badRequest("the request's URL is malformed");
    response.writeHead(400, { "Content-Type": "application/json" }).end(JSON.stringify(status));
    return;
  }
  const reply = await handler(context);
  await sendReply(context, reply).catch((error: unknown) => {
    report(failedRequest(context, error));
    if (!response.headersSent) return sendReply(context, jsonReply(unexpectedError(error).status, 500));
    response.destroy();
    return undefined;
  });
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
