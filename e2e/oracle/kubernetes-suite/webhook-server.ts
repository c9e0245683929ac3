import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createSecureContext } from "node:tls";
import { convertSample } from "./convert-sample.ts";
import { type AdmissionRequest, answerReview } from "./sample-webhooks.ts";

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: AdmissionRequest & {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: Parameters<typeof convertSample>[0][];
  };
}

/**
 * Stands in for the pods behind the suite's webhooks: one server for all namespaces, which shows each caller the
 * certificate that belongs to the Service it asks for.
 */
export async function startWebhookServer(
  certificateOf: (namespace: string) => Certificate | undefined,
): Promise<{ readonly port: number; stop(): void }> {
  const server = createServer(
    {
      SNICallback(host, done) {
        const certificate = certificateOf(host.split(".")[1] ?? "");
        done(null, certificate && createSecureContext(certificate));
      },
    },
    (request, response) => {
      response.setHeader("Content-Type", "application/json");
      answerTo(request).then(
        (answer) => response.end(JSON.stringify(answer)),
        () => response.destroy(),
      );
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerTo(message: IncomingMessage): Promise<object> {
  const { apiVersion, kind, request } = JSON.parse(await text(message)) as Review;
  const { pathname } = new URL(message.url ?? "/", "https://localhost");
  const { uid } = request;
  if (kind === "AdmissionReview")
    return { apiVersion, kind, response: { uid, ...(await answerReview(pathname, request)) } };
  const convertedObjects = request.objects.map((object) => convertSample(object, request.desiredAPIVersion));
  return { apiVersion, kind, response: { uid, convertedObjects, result: { status: "Success" } } };
}
