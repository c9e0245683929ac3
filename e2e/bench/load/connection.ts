import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { ResponseReader } from "./response-reader.ts";

/** Where a server is, and the token of a user who may do everything. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

/** What was received for a request. */
export interface Received {
  readonly code: number;
  /** The length of the body. */
  readonly length: number;
}

/**
 * A connection that sends one request at a time. It neither keeps nor parses what it receives: Node's own client takes
 * longer for a small request than a fast server does, and would be what is measured. Servers close what is idle for a
 * minute or two, so who waited meanwhile opens another.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #headers: string;
  #received: (received: Received) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;
  #error: Error | undefined;

  private constructor(socket: TLSSocket, headers: string) {
    this.#socket = socket;
    this.#headers = headers;
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server has closed the connection")));
  }

  static async open({ url, token }: Address): Promise<Connection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await once(socket, "secureConnect");
    socket.setNoDelay(true);
    return new Connection(socket, `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`);
  }

  async send(method: string, path: string, body = ""): Promise<Received> {
    if (this.#error) throw this.#error;
    const received = new Promise<Received>((resolve, reject) => {
      this.#received = resolve;
      this.#failed = reject;
    });
    const reader = new ResponseReader((answer) => this.#received(answer));
    const read = (bytes: Buffer): void => reader.read(bytes);
    this.#socket.on("data", read);
    this.#write(method, path, body);
    try {
      return await received;
    } finally {
      this.#socket.off("data", read);
    }
  }

  /**
   * Follows a watch, whose events it counts: each ends with a brace and a line feed, and JSON contains no line feed. The
   * end of a watch is an error, unless this side closes it.
   */
  async watch(
    path: string,
    onEvents: (count: number) => void,
    onFailed: (error: Error) => void,
  ): Promise<void> {
    if (this.#error) throw this.#error;
    let wasBrace = false;
    const begun = new Promise<void>((resolve, reject) => {
      this.#failed = reject;
      // The head of the response says that the watch has begun.
      this.#socket.once("readable", resolve);
    });
    this.#write("GET", path, "");
    await begun;
    this.#failed = onFailed;
    this.#socket.on("data", (bytes: Buffer) => {
      let count = wasBrace && bytes[0] === lineFeed ? 1 : 0;
      for (let at = bytes.indexOf(endOfEvent); at !== -1; at = bytes.indexOf(endOfEvent, at + 2)) count++;
      wasBrace = bytes.at(-1) === brace;
      if (count > 0) onEvents(count);
    });
  }

  close(): void {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  /** The first error is the reason. */
  #fail(error: Error): void {
    this.#error ??= error;
    this.#failed(this.#error);
  }

  #write(method: string, path: string, body: string): void {
    const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${body && length}\r\n${body}`);
  }
}

const endOfEvent = Buffer.from("}\n");
const [brace, lineFeed] = endOfEvent;
