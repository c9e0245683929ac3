import { mkdirSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { writePrivate } from "../shared/files.ts";
import type { LocalWebhooks } from "./dev-objects.ts";

/** An address on this machine where the operator serves its webhooks. */
export interface WebhookPlace extends LocalWebhooks {
  readonly port: number;
  /** The address to listen on; undefined for all of them. */
  readonly host: string | undefined;
  /** The folder of `tls.crt` and `tls.key`. */
  readonly certificates: string;
}

/**
 * Chooses a port for the webhooks and creates a certificate that the cluster will trust. The address is this machine's
 * own, and no other machine can connect, unless a remote cluster reaches it by another address: `HOST`, or `HOST:PORT`.
 */
export async function prepareWebhooks(folder: string, reachedBy?: string): Promise<WebhookPlace> {
  const address = reachedBy ?? loopback;
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
  writePrivate(join(certificates, "tls.key"), serving.key);
  const port = given ? Number(given) : await freePort();
  return {
    port,
    host: reachedBy === undefined ? loopback : undefined,
    certificates,
    url: `https://${hostname}:${port}`,
    caBundle: Buffer.from(ca.cert).toString("base64"),
  };
}

const loopback = "127.0.0.1";
