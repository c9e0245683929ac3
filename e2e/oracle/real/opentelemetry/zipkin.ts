import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { TreeSpan } from "./collector.ts";

/** A span in the JSON of Zipkin's API, version 2: what this viewer of traces keeps, shows, and answers queries with. */
export interface ZipkinSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  /** In lower case, as Zipkin has all names. */
  readonly name: string;
  readonly kind?: "CLIENT" | "SERVER" | "PRODUCER" | "CONSUMER";
  readonly localEndpoint?: { readonly serviceName?: string };
  readonly tags?: Readonly<Record<string, string>>;
}

/** Receives spans where Zipkin does. */
export async function startZipkin() {
  const received: ZipkinSpan[] = [];
  const server = createServer((request, response) => {
    const isSpans = request.method === "POST" && request.url === "/api/v2/spans";
    if (!isSpans || request.headers["content-type"] !== "application/json")
      return void response.writeHead(404).end();
    json(request).then(
      (spans) => {
        received.push(...(spans as ZipkinSpan[]));
        response.writeHead(202).end();
      },
      () => response.writeHead(400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/api/v2/spans`,
    spans: received as readonly ZipkinSpan[],
    /** The same spans, to follow from parents to children. */
    tree: (): TreeSpan[] =>
      received.map(({ traceId, id, parentId, name, localEndpoint }) => ({
        service: localEndpoint?.serviceName ?? "",
        name,
        traceId,
        spanId: id,
        parentSpanId: parentId,
      })),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
