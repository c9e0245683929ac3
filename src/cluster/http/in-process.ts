import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";

/** A request that reaches the server by a call. */
export interface PlainRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body?: string | undefined;
}

/** The response to it, once its head is known. */
export interface PlainResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** The body, as it is written. Destroying it disconnects the client. */
  readonly body: Readable;
}

/** Nobody connects it: requests share it, because making one takes a tenth of a small request. */
const noSocket = new Socket();

/** Makes the request and the response of Node's own server, without a connection. */
export function messagesOf(request: PlainRequest): { incoming: IncomingMessage; outgoing: CapturedResponse } {
  const incoming = new IncomingMessage(noSocket);
  // Otherwise Node takes the end of its body for a connection that broke.
  incoming.complete = true;
  incoming.method = request.method;
  incoming.url = request.path;
  for (const [name, value] of Object.entries(request.headers))
    incoming.headers[name] = typeof value === "string" ? value : value.join(", ");
  if (request.body !== undefined) incoming.push(request.body);
  incoming.push(null);
  return { incoming, outgoing: new CapturedResponse(incoming) };
}

/** A response whose body is read by whoever called, not by a socket. */
export class CapturedResponse extends ServerResponse {
  readonly head: Promise<PlainResponse>;
  readonly #body = new Readable({ read: () => {} });
  #settle!: (response: PlainResponse) => void;

  constructor(request: IncomingMessage) {
    super(request);
    this.head = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#body.on("close", () => this.destroy());
  }

  override writeHead(status: number, ...rest: never[]): this {
    super.writeHead(status, ...rest);
    // Its body has no chunks: nothing is sent.
    this.chunkedEncoding = false;
    const headers = Object.fromEntries(
      Object.entries(this.getHeaders()).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : String(value),
      ]),
    );
    this.#settle({ status, headers, body: this.#body });
    return this;
  }

  override flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  /** Nothing has to wait until the caller has read: both share their memory. */
  override write(chunk: Buffer | string): boolean {
    this.flushHeaders();
    this.#body.push(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    this.flushHeaders();
    this.finished = true;
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) this.#body.push(chunk);
    this.#body.push(null);
    return this;
  }

  override destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#body.destroy(error);
    this.emit("close");
    return this;
  }
}
