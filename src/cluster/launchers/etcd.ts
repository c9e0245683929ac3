import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { parseFlags, untilTerminated } from "./command-line.ts";

/** A fake etcd: the embedded server needs none, but envtest waits until etcd is healthy. */
export async function runEtcd(argv: readonly string[]): Promise<void> {
  const flags = parseFlags(argv);
  if (flags.has("help")) {
    process.stdout.write("etcd of tsbuilder: answers /health, stores nothing\n");
    return;
  }
  const terminated = untilTerminated();
  const urls = (flags.get("listen-client-urls") ?? "http://127.0.0.1:2379").split(",");
  const servers = await Promise.all(urls.map((url) => listen(new URL(url))));
  await terminated;
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

async function listen(url: URL): Promise<Server> {
  const server = createServer((request, response) => {
    const healthy = request.url === "/health";
    response.writeHead(healthy ? 200 : 404, { "Content-Type": "application/json" });
    response.end(healthy ? '{"health":"true","reason":""}' : "404 page not found\n");
  });
  server.listen(Number(url.port), url.hostname);
  await once(server, "listening");
  return server;
}
