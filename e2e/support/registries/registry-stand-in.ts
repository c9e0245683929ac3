import { createServer, type ServerResponse } from "node:http";

/** A package registry that has every package but ours. */
export interface RegistryStandIn {
  readonly url: string;
  /** Requests for our names: there must be none, as others could own them on the registry. */
  readonly asked: string[];
  stop(): Promise<void>;
}

const ours = /^\/(?:@tsbuilder(?:%2f|\/)|(?:create-)?tsbuilder(?:\/|$))/i;

/** A registry's document about all versions of a package. */
export interface Packument {
  readonly name: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, PackageVersion>>;
}

export interface PackageVersion {
  readonly version: string;
  readonly dist: { readonly tarball: string; readonly integrity: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Starts a registry on loopback that forwards requests to the machine's registry, and answers 404 for our names. `edit`
 * changes what it says of a package.
 */
export async function startRegistryStandIn(
  upstream: string,
  edit?: (packument: Packument) => Packument,
): Promise<RegistryStandIn> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (ours.test(path)) {
      asked.push(`${request.method} ${path}`);
      response.writeHead(404).end("{}");
      return;
    }
    passOn(new URL(path.slice(1), upstream), request.headers.accept, response, edit).catch(
      (error: unknown) => {
        response.writeHead(502).end(String(error));
      },
    );
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

async function passOn(
  url: URL,
  accept: string | undefined,
  response: ServerResponse,
  edit: ((packument: Packument) => Packument) | undefined,
): Promise<void> {
  const answer = await fetch(url, { headers: accept ? { accept } : {} });
  const type = answer.headers.get("content-type") ?? "application/json";
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isEdited = edit !== undefined && answer.ok && type.includes("json");
  response.writeHead(answer.status, { "content-type": type });
  response.end(isEdited ? JSON.stringify(edit(JSON.parse(bytes.toString("utf8")) as Packument)) : bytes);
}
