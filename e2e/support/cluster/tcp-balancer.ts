import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";

/** A TCP load balancer on the loopback interface. */
export interface TcpBalancer {
  readonly port: number;
  /** How many connections to each server are open, by its URL. */
  readonly open: ReadonlyMap<string, number>;
  close(): void;
}

/** Passes each connection to the next of some local servers that accepts it, in turn. */
export async function startTcpBalancer(urls: readonly string[]): Promise<TcpBalancer> {
  const open = new Map(urls.map((url) => [url, 0]));
  const sockets = new Set<Socket>();
  let turn = 0;
  const pass = async (client: Socket): Promise<void> => {
    track(client, sockets);
    const first = turn++;
    for (let i = 0; i < urls.length; i++) {
      const url = urls[(first + i) % urls.length]!;
      const upstream = await connect(new URL(url));
      if (!upstream) continue;
      track(upstream, sockets);
      open.set(url, open.get(url)! + 1);
      upstream.once("close", () => open.set(url, open.get(url)! - 1));
      join(client, upstream);
      return;
    }
    client.destroy();
  };
  const server = net.createServer((client) => void pass(client));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    open,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function connect({ hostname, port }: URL): Promise<Socket | undefined> {
  const socket = net.connect({ port: Number(port), host: hostname, noDelay: true });
  try {
    await once(socket, "connect");
    return socket;
  } catch {
    return undefined;
  }
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => sockets.delete(socket));
}

/** Passes on data and ends; one side that breaks breaks the other. */
function join(client: Socket, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.destroy());
}
