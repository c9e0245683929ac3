import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import {
  Caller,
  CapturedResponse,
  plainHeaders,
  type PlainRequest,
  type PlainResponse,
  receivedOf,
} from "../http/in-process.ts";
import { jsonType } from "../http/reply.ts";
import type { Handler, RequestContext } from "../http/request-context.ts";
import { badRequest, type StatusError } from "../contract/status-error.ts";
import { headersOf, partsOf } from "./send-reply.ts";
import { contextOf, type Report } from "./serve.ts";

/** Makes a function from a handler that answers calls as `serve()` answers what sockets bring: no socket, no streams. */
export function answerCalls(
  handler: Handler,
  report: Report,
): (request: PlainRequest) => Promise<PlainResponse> {
  return (request) => answer(handler, report, request);
}

async function answer(handler: Handler, report: Report, request: PlainRequest): Promise<PlainResponse> {
  const caller = new Caller();
  const context = contextOf(receivedOf(request), caller);
  if (!context) return refusal(badRequest("the request's URL is malformed"));
  const fail = (error: unknown): void => {
    if (!isDisconnect(context, error)) report(failedRequest(context, error));
  };
  try {
    return await respond(context, caller, handler, fail);
  } catch (error) {
    fail(error);
    return refusal(statusErrorOf(error));
  }
}

async function respond(
  context: RequestContext,
  caller: Caller,
  handler: Handler,
  fail: (error: unknown) => void,
): Promise<PlainResponse> {
  const reply = await handler(context);
  const headers = headersOf(context, reply);
  if (!reply.stream) {
    const parts = partsOf(reply.body);
    const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const head = plainHeaders({ ...headers, "Content-Length": body.length });
    return { status: reply.code, headers: head, body: context.method === "HEAD" ? empty : body };
  }
  const response = new CapturedResponse(caller);
  reply.stream(response).catch((error: unknown) => {
    fail(error);
    // What was written before may not be read yet.
    if (!response.writableEnded) response.destroy();
  });
  return { status: reply.code, headers: plainHeaders(headers), body: empty, stream: response.body };
}

const empty = Buffer.alloc(0);

function refusal({ code, status }: StatusError): PlainResponse {
  return {
    status: code,
    headers: { "content-type": jsonType },
    body: Buffer.from(JSON.stringify(status)),
  };
}
