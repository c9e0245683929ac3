import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { settled } from "@tsbuilder/apimachinery/time";
import { onTestFinished } from "vitest";
import { resetSocket } from "../../../src/runtime/testing/fault-proxy.ts";

/**
 * A load balancer in front of a server: while it hangs, a new connection never gets a response. Small pieces are
 * passed on at once (`noDelay`), so that `settled()` doesn't resolve too early.
 */
export class Gate {
  hangs = false;
  readonly sockets: net.Socket[] = [];
  readonly #server = net.createServer({ noDelay: true }, (socket) => {
    this.sockets.push(socket.on("error", () => {}));
    if (this.hangs) return void socket.resume();
    const inner = net.connect({ port: this.#behind, host: "127.0.0.1", noDelay: true }).on("error", () => {});
    socket.pipe(inner).pipe(socket);
  });
  readonly #behind: number;

  constructor(behind: number) {
    this.#behind = behind;
  }

  async open(): Promise<number> {
    const port = await listen(this.#server);
    onTestFinished(() => {
      for (const socket of this.sockets) socket.destroy();
    });
    return port;
  }

  /** Breaks all connections, and resolves once the clients in this process know it: they send nothing on them then. */
  async reset(): Promise<void> {
    for (const socket of this.sockets) resetSocket(socket);
    await settled();
  }

  /** Resolves after this many connections since the start. */
  async came(count: number): Promise<void> {
    while (this.sockets.length < count) await once(this.#server, "connection");
  }
}

/** Listens on the loopback interface until the test ends. */
export async function listen(server: net.Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
