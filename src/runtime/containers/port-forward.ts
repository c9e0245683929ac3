import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { callSafely, warnOf } from "../callbacks/call-safely.ts";
import { onAbort } from "../clock/on-abort.ts";
import { ApiError } from "../errors/api-error.ts";
import type { PortForward, PortForwardOptions } from "./options.ts";

const host = "127.0.0.1";

/** Listens on the loopback interface, and passes each connection on to one that `open` opens. */
export async function listenFor(
  open: () => Promise<Duplex>,
  { localPort = 0, onError, signal }: PortForwardOptions,
): Promise<PortForward> {
  signal?.throwIfAborted();
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    passOn(socket, open).catch((error: unknown) => {
      if (server.listening) callSafely(() => onError?.(error as Error), warnOf("the onError of portForward"));
    });
  });
  server.listen(localPort, host);
  await once(server, "listening");
  const end = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const forget = onAbort(signal, end);
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async close() {
      forget();
      if (!server.listening) return;
      const closed = once(server, "close");
      end();
      await closed;
    },
  };
}

async function passOn(local: Socket, open: () => Promise<Duplex>): Promise<void> {
  // A socket may emit an error while it waits.
  local.on("error", () => {});
  const remote = await open().catch((error: unknown) => {
    local.destroy();
    throw error;
  });
  try {
    local.pipe(remote);
    await pipeline(remote, local);
  } catch (error) {
    // That the local program went away is no failure of the port.
    if (error instanceof ApiError) throw error;
  } finally {
    remote.destroy();
    local.destroy();
  }
}
