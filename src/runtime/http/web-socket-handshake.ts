import type { IncomingMessage } from "node:http";
import type net from "node:net";
import { text } from "node:stream/consumers";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { AnswerHead } from "./answer-parser.ts";
import { BrokenConnectionError, TimeoutError } from "./connection-errors.ts";
import type { Answer } from "./http-connection.ts";
import type { WireRequest } from "./request-bytes.ts";
import { OpenWebSocket } from "./web-socket.ts";

/** Milliseconds of system time that a server has to confirm the end of a WebSocket. */
const closeTimeout = 2000;

/** What is asked for, and how. */
export interface WebSocketWish {
  readonly wire: WireRequest;
  readonly protocols: readonly string[];
  readonly clock: Clock;
  /** The request, for errors. */
  readonly label: string;
}

/** Asks for a WebSocket over a connected socket, which belongs to it from then on. */
export class WebSocketHandshake {
  readonly #socket: net.Socket;
  readonly #wish: WebSocketWish;

  constructor(socket: net.Socket, wish: WebSocketWish) {
    this.#socket = socket.setNoDelay(true).setKeepAlive(true, 30_000);
    this.#wish = wish;
  }

  /** Nothing is sent after all. */
  rest(): void {
    this.#socket.destroy();
  }

  destroy(error: Error): void {
    this.#socket.destroy(error);
  }

  /** Resolves with the open WebSocket, or with what the server says instead. */
  async send(_: unknown, { timeout }: { readonly timeout: number }): Promise<Answer> {
    const { wire, protocols, clock, label } = this.#wish;
    const { WebSocket } = await import("ws");
    const options = {
      createConnection: () => this.#socket,
      headers: wire.headers as { [name: string]: string | string[] },
      perMessageDeflate: false,
      closeTimeout,
    };
    const socket = new WebSocket(`ws://${wire.host}${wire.path}`, [...protocols], options);
    const forget = clock.setTimer(() => this.#socket.destroy(new TimeoutError(timeout)), timeout);
    try {
      return await new Promise((resolve, reject) => {
        const empty = { text: "", bytes: undefined, stream: undefined };
        let head: AnswerHead = { status: 101, headers: {} };
        socket.on("upgrade", (answer) => (head = headOf(answer)));
        socket.once("open", () =>
          resolve({ ...head, ...empty, webSocket: new OpenWebSocket(socket, { clock, label }) }),
        );
        socket.once("unexpected-response", (_request, answer) => {
          text(answer).then((body) => resolve({ ...headOf(answer), ...empty, text: body }), reject);
        });
        socket.once("error", reject);
        socket.once("close", () => reject(new BrokenConnectionError()));
      });
    } catch (error) {
      this.#socket.destroy();
      throw error;
    } finally {
      forget();
    }
  }
}

function headOf({ statusCode = 0, headers }: IncomingMessage): AnswerHead {
  const joined = Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]);
  return { status: statusCode, headers: Object.fromEntries(joined) as AnswerHead["headers"] };
}
