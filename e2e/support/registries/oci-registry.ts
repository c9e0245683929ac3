import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** An image registry on loopback, over plain HTTP: the part of the OCI distribution API that a push needs. */
export interface OciRegistry {
  /** `127.0.0.1:PORT`, the prefix of an image's name. */
  readonly host: string;
  /** The digests of pushed manifests, by `repository:reference`. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Answers every request with this status from now on; undefined for normal answers. */
  refuse(status: number | undefined): void;
  stop(): Promise<void>;
}

/** Starts a registry that keeps what is pushed in memory. */
export async function startOciRegistry(): Promise<OciRegistry> {
  const store: Store = { blobs: new Map(), uploads: new Map(), manifests: new Map() };
  let refusal: number | undefined;
  const server = createServer((request, response) => {
    if (refusal !== undefined) {
      request.resume();
      refuse(response, refusal);
      return;
    }
    answer(store, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    host: `127.0.0.1:${port}`,
    manifests: store.manifests,
    refuse: (status) => {
      refusal = status;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Store {
  readonly blobs: Map<string, Buffer>;
  readonly uploads: Map<string, Buffer[]>;
  readonly manifests: Map<string, string>;
}

async function answer(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, "http://registry");
  const [, name = "", kind, rest = ""] =
    /^\/v2\/(?:(.+)\/(blobs\/uploads|blobs|manifests)\/(.*))?$/.exec(pathname) ?? [];
  if (!kind) response.writeHead(pathname === "/v2/" ? 200 : 404).end("{}");
  else if (kind === "blobs/uploads")
    await upload(store, name, rest, searchParams.get("digest"), request, response);
  else if (kind === "blobs") response.writeHead(store.blobs.has(rest) ? 200 : 404).end();
  else if (request.method === "PUT") {
    const digest = digestOf(await buffer(request));
    store.manifests.set(`${name}:${rest}`, digest);
    response.writeHead(201, { "docker-content-digest": digest }).end();
  } else response.writeHead(404).end(JSON.stringify({ errors: [{ code: "MANIFEST_UNKNOWN" }] }));
}

/** A blob is uploaded in parts, and stored if its digest matches the one in the last request. */
async function upload(
  { blobs, uploads }: Store,
  name: string,
  id: string,
  digest: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const part = await buffer(request);
  const upload = request.method === "POST" ? randomUUID() : id;
  const parts = [...(uploads.get(upload) ?? []), part];
  uploads.set(upload, parts);
  const blob = Buffer.concat(parts);
  const location = `/v2/${name}/blobs/uploads/${upload}`;
  if (digest === null) {
    response.writeHead(202, { location, range: `0-${Math.max(0, blob.length - 1)}` }).end();
  } else if (digestOf(blob) === digest) {
    blobs.set(digest, blob);
    uploads.delete(upload);
    response.writeHead(201, { location: `/v2/${name}/blobs/${digest}` }).end();
  } else response.writeHead(400).end(JSON.stringify({ errors: [{ code: "DIGEST_INVALID" }] }));
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

const codes: Readonly<Record<number, string>> = { 401: "UNAUTHORIZED", 403: "DENIED" };

function refuse(response: ServerResponse, status: number): void {
  const headers = status === 401 ? { "www-authenticate": 'Basic realm="registry"' } : {};
  response.writeHead(status, headers).end(JSON.stringify({ errors: [{ code: codes[status] ?? "UNKNOWN" }] }));
}
