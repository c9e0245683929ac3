import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { type StatusError, badRequest, tooLarge } from "../contract/status-error.ts";
import { type Handler, type RequestContext, bodyLimit, jsonType } from "../http/request-context.ts";
import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import { headersOf, partsOf } from "./send-reply.ts";
import { type Report, contextOf } from "./serve.ts";

/** A request that is passed to the server by a function call. */
export interface PlainRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body?: string | undefined;
}

/** The response to a `PlainRequest`, once its status and headers are known. */
export interface PlainResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** The whole body; empty if there is a stream. */
  readonly body: Buffer;
  /** The body of a watch, as it is written. Destroying it disconnects the client. */
  readonly stream?: Readable | undefined;
}

/** Answers a call as `serve()` answers requests of sockets. */
export async function answerCall(handler: Handler, report: Report, request: PlainRequest) {
  const caller = new Caller();
  const context = contextOf(toReceived(request), caller);
  if (!context) return refuse(badRequest("the request's URL is malformed"));
  const fail = (error: unknown): void => {
    if (!isDisconnect(context, error)) report(failedRequest(context, error));
  };
  try {
    return await respond(context, caller, handler, fail);
  } catch (error) {
    fail(error);
    return refuse(statusErrorOf(error));
  }
}

const noBytes = Buffer.alloc(0);

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
    return { status: reply.code, headers: head, body: context.method === "HEAD" ? noBytes : body };
  }
  const response = new CapturedResponse(caller);
  reply.stream(response).catch((error: unknown) => {
    fail(error);
    // The caller may not have read the earlier lines yet.
    if (!response.writableEnded) response.destroy();
  });
  return { status: reply.code, headers: plainHeaders(headers), body: noBytes, stream: response.body };
}

function refuse({ code, status }: StatusError): PlainResponse {
  return { status: code, headers: { "content-type": jsonType }, body: Buffer.from(JSON.stringify(status)) };
}

/** Never connected: Node's classes need a socket. */
const noSocket = new Socket();

/** Makes the request that a socket would have delivered. */
function toReceived({ method, path, headers, body = "" }: PlainRequest) {
  const joined: { [name: string]: string } = {};
  const rawHeaders: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const values = typeof value === "string" ? [value] : value;
    joined[name] = values.join(", ");
    for (const single of values) rawHeaders.push(name, single);
  }
  return {
    method,
    url: path,
    headers: joined,
    rawHeaders,
    socket: noSocket,
    errored: null,
    async readBody(): Promise<Buffer> {
      const bytes = Buffer.from(body);
      if (bytes.length > bodyLimit) throw tooLarge(bodyLimit);
      return bytes;
    },
  };
}

/** The headers of a response as its client reads them. */
function plainHeaders(headers: { readonly [name: string]: unknown }): PlainResponse["headers"] {
  const plain: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers))
    plain[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : String(value);
  return plain;
}

/** The connection of a call. The caller disconnects by destroying the stream of its response. */
class Caller extends EventEmitter {
  destroyed = false;

  leave(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }
}

/** The response of a watch: the caller reads its body from a stream instead of a socket. */
class CapturedResponse extends ServerResponse {
  readonly body = new Readable({ read: () => {} });
  readonly #caller: Caller;

  constructor(caller: Caller) {
    super(new IncomingMessage(noSocket));
    this.#caller = caller;
    this.body.on("close", () => this.destroy());
  }

  /** Does nothing: the caller already has the status and headers. */
  override flushHeaders(): void {}

  /** Always returns true: the caller shares this process' memory, so that there is no backpressure. */
  override write(chunk: Buffer | string): boolean {
    this.body.push(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    this.finished = true;
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) this.body.push(chunk);
    this.body.push(null);
    return this;
  }

  override destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.body.destroy(error);
    this.#caller.leave();
    return this;
  }
}
