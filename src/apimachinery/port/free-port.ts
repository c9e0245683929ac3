import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * The range of ports: below those that Linux, macOS and Windows give to outgoing connections and to servers
 * without a port of their own, and below the node ports of Services.
 */
const ports = { first: 10_000, end: 30_000 };

/** The number of ports to try before the error of the last one is thrown. */
const maxDraws = 100;

/**
 * Finds a TCP port on the loopback interface that a server can use later, or again and again. No connection of another
 * process takes it in the meantime, as would happen with a port from the operating system.
 */
export async function freePort(): Promise<number> {
  for (let draw = 1; ; draw++) {
    const port = randomInt(ports.first, ports.end);
    try {
      await tryPort(port);
      return port;
    } catch (error) {
      if (draw === maxDraws) throw error;
    }
  }
}

/** Rejects if a server can't listen on the port. */
function tryPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}
