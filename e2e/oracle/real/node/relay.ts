import {
  createConnection,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
} from "node:net";

/**
 * Passes connections on. A socket in the file system is the way between network namespaces: its address is the same in
 * all of them.
 */
export async function startRelay(listen: ListenOptions, connect: NetConnectOpts): Promise<Server> {
  const server = createServer((client) => {
    const target = createConnection(connect);
    client.pipe(target).pipe(client);
    client.on("error", () => target.destroy());
    target.on("error", () => client.destroy());
    client.on("close", () => target.destroy());
    target.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen, resolve);
  });
  return server;
}
