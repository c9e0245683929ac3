import { once } from "node:events";
import type { TcpNetConnectOpts } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { ResponseReader } from "./response-reader.ts";

/** Where a server is, and the token of a user who may do everything. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

/** The response to a request. */
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
  #read: (bytes: Buffer) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;
  #error: Error | undefined;

  private constructor({ url, token }: Address) {
    const { hostname, port, host } = new URL(url);
    this.#headers = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
    const options: ConnectionOptions & Pick<TcpNetConnectOpts, "onread"> = {
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      onread: { buffer: received, callback: (length) => this.#onRead(length) },
    };
    this.#socket = connect(options);
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the server has closed the connection")));
  }

  static async open(address: Address): Promise<Connection> {
    const connection = new Connection(address);
    await once(connection.#socket, "secureConnect");
    connection.#socket.setNoDelay(true);
    return connection;
  }

  send(method: string, path: string, body = ""): Promise<Received> {
    return new Promise((resolve, reject) => {
      if (this.#error) throw this.#error;
      const reader = new ResponseReader(resolve);
      this.#read = (bytes) => reader.read(bytes);
      this.#failed = reject;
      this.#write(method, path, body);
    });
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
    let last = 0;
    const count = (bytes: Buffer): void => {
      let events = 0;
      for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
        if ((at === 0 ? last : bytes[at - 1]) === brace) events++;
      }
      last = bytes.at(-1)!;
      if (events > 0) onEvents(events);
    };
    await new Promise<void>((resolve, reject) => {
      this.#failed = reject;
      // The head of the response says that the watch has begun.
      this.#read = (bytes) => {
        resolve();
        this.#read = count;
        count(bytes);
      };
      this.#write("GET", path, "");
    });
    this.#failed = onFailed;
  }

  close(): void {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  #onRead(length: number): true {
    this.#read(received.subarray(0, length));
    return true;
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

/** All connections read into the same bytes: none keeps them. */
const received = Buffer.allocUnsafeSlow(64 * 1024);
const brace = 0x7d;
const lineFeed = 0x0a;
