import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { LocalWebhooks } from "./dev-objects.ts";

/** A place on this machine where the operator serves its webhooks. */
export interface WebhookPlace extends LocalWebhooks {
  readonly port: number;
  /** The folder with `tls.crt` and `tls.key`. */
  readonly certificates: string;
}

/** Finds a free port for the webhooks and makes a certificate that the cluster will trust there. */
export async function prepareWebhooks(folder: string): Promise<WebhookPlace> {
  const certificates = join(folder, "webhook-certs");
  mkdirSync(certificates, { recursive: true });
  const ca = createCA({ commonName: "tsbuilder dev" });
  const serving = issueCertificate(ca, {
    usages: ["server"],
    dnsNames: ["localhost"],
    ipAddresses: ["127.0.0.1"],
  });
  writeFileSync(join(certificates, "tls.crt"), serving.cert);
  writeFileSync(join(certificates, "tls.key"), serving.key, { mode: 0o600 });
  const port = await freePort();
  return {
    port,
    certificates,
    url: `https://127.0.0.1:${port}`,
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
