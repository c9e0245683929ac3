import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";

/** The part of the reviews that the tests of webhooks look at. */
export interface WebhookReview {
  request: {
    uid: string;
    operation: string;
    name?: string;
    dryRun?: boolean;
    object: { metadata: { name: string; labels?: Record<string, string> } };
    desiredAPIVersion?: string;
    objects?: Array<{ apiVersion: string }>;
  };
}

/** A server of webhooks on loopback, as `hook` in the namespace `default`, whose tests choose its answers. */
export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** The CA of the server's certificate, in base64. */
  readonly caBundle: string;
  /** The serving certificate itself, in base64. */
  readonly certBundle: string;
  /** The responses by path; the uid is added to them. Undefined answers nothing. */
  answers: Record<string, (review: WebhookReview) => object | undefined>;
  /** The path and operation of each review. */
  seen: string[];
  stop(): void;
}

const base64 = (pem: string) => Buffer.from(pem).toString("base64");

export async function startWebhookServer(): Promise<WebhookServer> {
  const ca = createCA({ commonName: "webhooks" });
  const serving = issueCertificate(ca, {
    ipAddresses: ["127.0.0.1"],
    dnsNames: ["hook.default.svc"],
    usages: ["server"],
  });
  const server = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url!.split("?")[0]!;
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as WebhookReview;
      started.seen.push(`${path} ${review.request.operation}`);
      const answer = started.answers[path]!(review);
      if (answer === undefined) return;
      const type =
        path === "/convert"
          ? { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }
          : { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      const body = { ...type, response: { uid: review.request.uid, ...answer } };
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const started: WebhookServer = {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: base64(ca.cert),
    certBundle: base64(serving.cert),
    answers: {},
    seen: [],
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return started;
}
