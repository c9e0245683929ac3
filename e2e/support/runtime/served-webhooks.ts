import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { createLogger } from "../../../src/runtime/log/logger.ts";
import { WebhookBuilder } from "../../../src/runtime/webhook/webhook-builder.ts";
import { WebhookServer, type WebhookServerOptions } from "../../../src/runtime/webhook/webhook-server.ts";

export interface MySQL extends CustomResource<{ replicas?: number; storage?: string }> {}
const group = { group: "apps.example.com" };
const names = { kind: "MySQL", plural: "mysqls" };
export const MySQL = defineKind<MySQL>({ ...group, version: "v1" }, names);
export interface OldMySQL extends CustomResource<{ size: number }> {}
export const OldMySQL = defineKind<OldMySQL>({ ...group, version: "v1beta1" }, names);

export const ca = createCA({ commonName: "test-ca" });
const makeServing = () => issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });

type Answer = { status: number; body: Record<string, never> & { response?: Record<string, never> } };

/** Serves webhooks with a certificate from a folder; `call` posts to them like an API server. */
export async function serve(
  add: (builder: WebhookBuilder<MySQL>) => void,
  options: Pick<WebhookServerOptions, "clientCaName" | "shutdownDelay"> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "tsbuilder-webhook-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const writeCertificate = async ({ cert, key } = makeServing()) => {
    await writeFile(join(folder, "tls.key"), key);
    await writeFile(join(folder, "tls.crt"), cert);
  };
  await writeCertificate();
  await writeFile(join(folder, "clients.crt"), ca.cert);
  const clock = new FakeClock();
  const lines: string[] = [];
  const server = new WebhookServer({
    options: { port: 0, host: "127.0.0.1", certPath: folder, ...options },
    log: createLogger({ write: (line) => void lines.push(line) }),
    clock,
  });
  const counted: string[] = [];
  const served: string[] = [];
  server.observer = {
    serves() {},
    began: (path) => (code) => void counted.push(`${path} ${code}`),
    panicked: (path) => void counted.push(`${path} panic`),
    read() {},
    certified: ({ cert }) => void served.push(new X509Certificate(cert).serialNumber),
  };
  const builder = new WebhookBuilder(server, MySQL);
  add(builder);
  builder.complete();
  await server.start();
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const call = (
    path: string,
    body: unknown,
    {
      type = "application/json",
      ...connection
    }: { type?: string; cert?: string; key?: string; agent?: Agent } = {},
  ) =>
    new Promise<Answer & { serial: string }>((resolve, reject) => {
      const request = httpsRequest(
        `https://${server.address}${path}`,
        { method: "POST", ca: ca.cert, agent: false, headers: { "content-type": type }, ...connection },
        (response) => {
          const socket = response.socket as unknown as { getPeerCertificate(): { serialNumber: string } };
          const serial = socket.getPeerCertificate().serialNumber;
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode!, body: JSON.parse(text) as Answer["body"], serial }),
          );
        },
      );
      request.on("error", reject);
      request.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  return { server, call, lines, counted, served, clock, writeCertificate };
}

export function review(operation: string, object: unknown, more: object = {}): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u-1",
      operation,
      kind: { ...group, version: "v1", kind: "MySQL" },
      resource: { ...group, version: "v1", resource: "mysqls" },
      name: "db",
      namespace: "default",
      userInfo: { username: "alice" },
      object,
      ...more,
    },
  };
}

export const db = (spec: object, metadata: object = {}) => ({
  apiVersion: "apps.example.com/v1",
  kind: "MySQL",
  metadata: { name: "db", namespace: "default", ...metadata },
  spec,
});
