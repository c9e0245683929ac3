import type { Kind } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";
import type { Client } from "../client/client.ts";
import { retryOnConflict } from "../client/retry-on-conflict.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Logger } from "../log/logger.ts";
import { type CertificateBundle, isUsable, renewBundle } from "../tls/certificate-bundle.ts";
import type { Certificate, CertificateSource } from "../tls/certificate-files.ts";
import { findAuthority, injectAuthority, type WebhookService } from "./inject-authority.ts";
import { CertificateSecret } from "./webhook-kinds.ts";

/** Options of a managed certificate. */
export interface ManagedCertificateOptions {
  /** Reads and writes live. */
  readonly client: Client;
  readonly service: () => Promise<WebhookService>;
  /** Stores the certificate for all replicas. */
  readonly secretName: (service: WebhookService) => string;
  readonly days: number;
  /** The kinds whose CRDs convert through the Service. */
  readonly converted: () => Iterable<Kind>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Time between checks whether the certificate is old, another replica replaced it, or a configuration lost its CA. */
const checkEvery = 300_000;

/**
 * Manages the serving certificate without cert-manager: keeps it in a Secret that all replicas share, renews it in
 * time, and writes the CA to where the API server reads it. Needs get, create and update on the Secret, list and patch
 * on webhook configurations, and get and patch on the CRDs of converted kinds.
 */
export class ManagedCertificate implements CertificateSource {
  readonly #options: ManagedCertificateOptions;
  #current: CertificateBundle | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ManagedCertificateOptions) {
    this.#options = options;
  }

  async start(onChange: (certificate: Certificate) => void): Promise<Certificate> {
    this.#current = await this.#renew();
    this.#schedule(onChange);
    return this.#current;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #schedule(onChange: (certificate: Certificate) => void): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.setTimer(() => void this.#check(onChange), checkEvery);
  }

  async #check(onChange: (certificate: Certificate) => void): Promise<void> {
    try {
      const next = await this.#renew();
      if (!this.#isStopped && next.cert !== this.#current?.cert) {
        onChange(next);
        this.#options.log.info("Serving a new webhook certificate");
      }
      this.#current = next;
    } catch (error) {
      this.#options.log.error("Can't look after the webhook certificate, trying again later", { error });
    }
    this.#schedule(onChange);
  }

  async #renew(): Promise<CertificateBundle> {
    const { client, log, converted, clock } = this.#options;
    const service = await this.#options.service();
    const bundle = await this.#agree(service);
    // The CA is written first: with the new one the previous one remains trusted.
    const inject = () => injectAuthority(client, service, converted(), bundle.caBundle);
    const changed = await retryOnConflict(inject, { attempts: 10, clock });
    if (changed.length > 0) log.info("Told the API server which authority to trust", { objects: changed });
    return bundle;
  }

  /** Replicas may write at the same time: one succeeds, the others adopt what it wrote. */
  async #agree(service: WebhookService): Promise<CertificateBundle> {
    const { client, clock, converted, days, secretName } = this.#options;
    const { name, namespace } = service;
    const key = { namespace, name: secretName(service) };
    for (let attempt = 1; ; attempt++) {
      const secret = await client.find(CertificateSecret, key, { live: true });
      const stored = secret && readSecret(secret);
      const dnsNames = [
        `${name}.${namespace}.svc`,
        `${name}.${namespace}.svc.cluster.local`,
        `${name}.${namespace}`,
      ];
      // Other replicas still serve what a lost Secret had.
      const former = stored ? undefined : await findAuthority(client, service, converted());
      const bundle = renewBundle(stored, { name, dnsNames, days, former, now: new Date(clock.now()) });
      if (bundle === stored) return bundle;
      try {
        if (secret) await client.update(CertificateSecret, { ...secret, data: secretData(bundle) });
        else {
          const made = { metadata: key, type: "kubernetes.io/tls", data: secretData(bundle) };
          await client.create(CertificateSecret, made);
        }
        return bundle;
      } catch (error) {
        const lost = error instanceof ApiError && (error.isConflict || error.isAlreadyExists);
        if (!lost || attempt >= 10) throw error;
      }
    }
  }
}

const fields = { caBundle: "ca.crt", caKey: "ca.key", cert: "tls.crt", key: "tls.key" } as const;

function secretData(bundle: CertificateBundle): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(fields).map(([field, name]) => [
      name,
      Buffer.from(bundle[field as keyof typeof fields]).toString("base64"),
    ]),
  );
}

/** A Secret that lacks a key, was created empty, or holds what can't be used, counts as missing. */
function readSecret({ data = {} }: CertificateSecret): CertificateBundle | undefined {
  const read = (name: string) => Buffer.from(data[name] ?? "", "base64").toString("utf8");
  const bundle = {
    caBundle: read(fields.caBundle),
    caKey: read(fields.caKey),
    cert: read(fields.cert),
    key: read(fields.key),
  };
  return isUsable(bundle) ? bundle : undefined;
}
