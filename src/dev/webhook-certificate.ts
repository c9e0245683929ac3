import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, isIP } from "node:net";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { LocalWebhooks } from "./dev-objects.ts";

/** An address on this machine where the operator serves its webhooks. */
export interface WebhookPlace extends LocalWebhooks {
  readonly port: number;
  /** The folder of `tls.crt` and `tls.key`. */
  readonly certificates: string;
}

/**
 * Chooses a port for the webhooks and creates a certificate that the cluster will trust. The address is this machine's
 * own, unless a remote cluster reaches it by another one: `HOST`, or `HOST:PORT`.
 */
export async function prepareWebhooks(folder: string, address = "127.0.0.1"): Promise<WebhookPlace> {
  const { hostname, port: given } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, "");
  const certificates = join(folder, "webhook-certs");
  mkdirSync(certificates, { recursive: true });
  const ca = createCA({ commonName: "tsbuilder dev" });
  const serving = issueCertificate(ca, {
    usages: ["server"],
    ...(isIP(host) ? { ipAddresses: [host] } : { dnsNames: [host] }),
  });
  writeFileSync(join(certificates, "tls.crt"), serving.cert);
  writeFileSync(join(certificates, "tls.key"), serving.key, { mode: 0o600 });
  const port = given ? Number(given) : await freePort();
  return {
    port,
    certificates,
    url: `https://${hostname}:${port}`,
    caBundle: Buffer.from(ca.cert).toString("base64"),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
