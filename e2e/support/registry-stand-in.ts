import { createServer, type ServerResponse } from "node:http";

/** A registry that knows every package but ours. */
export interface RegistryStandIn {
  readonly url: string;
  /** The requests for names of ours: there must be none, somebody else could own them. */
  readonly asked: string[];
  stop(): Promise<void>;
}

const ours = /^\/(?:@tsbuilder(?:%2f|\/)|tsbuilder(?:\/|$))/i;

/** Starts a registry on loopback that passes requests on to the machine's own, and answers 404 to our names. */
export async function startRegistryStandIn(upstream: string): Promise<RegistryStandIn> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (ours.test(path)) {
      asked.push(`${request.method} ${path}`);
      response.writeHead(404).end("{}");
      return;
    }
    passOn(new URL(path.slice(1), upstream), request.headers.accept, response).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function passOn(url: URL, accept: string | undefined, response: ServerResponse): Promise<void> {
  const answer = await fetch(url, { headers: accept ? { accept } : {} });
  response.writeHead(answer.status, {
    "content-type": answer.headers.get("content-type") ?? "application/json",
  });
  response.end(Buffer.from(await answer.arrayBuffer()));
}
