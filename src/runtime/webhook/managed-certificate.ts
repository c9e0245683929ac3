import { X509Certificate } from "node:crypto";
import {
  type CertificateWithKey,
  createCA,
  describeCertificate,
  issueCertificate,
  renewalTime,
  splitBundle,
} from "@tsbuilder/apimachinery/certs";
import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Client, DeepReadonly } from "../client/client.ts";
import { retryOnConflict } from "../client/read-modify-write.ts";
import { podNamespace } from "../config/load-config.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "../k8s/admissionregistration/v1.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";
import { Secret } from "../k8s/core/v1.ts";
import type { Logger } from "../log/logger.ts";
import { type Certificate, type CertificateSource, assertUsable } from "../tls/certificate-files.ts";
import type { SelfManagedCertificateOptions } from "./webhook-server.ts";

/** The parts of the manager that a managed certificate uses. */
interface ManagedCertificateParts {
  /** Reads and writes live. */
  readonly client: Client;
  readonly config: () => Promise<ClusterConfig>;
  /** The kinds whose CRDs convert through the Service. */
  readonly converted: () => Iterable<Kind>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Milliseconds between checks: is the certificate old, was it replaced by another replica, did an object lose the CA? */
const checkPeriod = 300_000;

/**
 * Manages the serving certificate without cert-manager: keeps it in a Secret that all replicas share, renews it in
 * time, and writes the CA to where the API server reads it. Needs get, create and update on the Secret, list and patch
 * on webhook configurations, and get and patch on the CRDs of converted kinds.
 */
export class ManagedCertificate implements CertificateSource {
  readonly #options: SelfManagedCertificateOptions;
  readonly #parts: ManagedCertificateParts;
  #current: CertificateBundle | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: SelfManagedCertificateOptions, parts: ManagedCertificateParts) {
    this.#options = options;
    this.#parts = parts;
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
    this.#cancel = this.#parts.clock.setTimer(() => void this.#check(onChange), checkPeriod);
  }

  async #check(onChange: (certificate: Certificate) => void): Promise<void> {
    try {
      const next = await this.#renew();
      if (!this.#isStopped && next.cert !== this.#current?.cert) {
        onChange(next);
        this.#parts.log.info("Serving a new webhook certificate");
      }
      this.#current = next;
    } catch (error) {
      this.#parts.log.error("Can't look after the webhook certificate, trying again later", { error });
    }
    this.#schedule(onChange);
  }

  async #renew(): Promise<CertificateBundle> {
    const { client, log, converted, clock } = this.#parts;
    const service = await this.#service();
    const bundle = await this.#agreeOnBundle(service);
    // The CA is written first: with the new one the previous one remains trusted.
    const inject = () => injectAuthority(client, service, converted(), bundle.caBundle);
    const changed = await retryOnConflict(inject, { attempts: 10, clock });
    if (changed.length > 0) log.info("Told the API server which authority to trust", { objects: changed });
    return bundle;
  }

  async #service(): Promise<WebhookService> {
    const { service: name, namespace: configured } = this.#options;
    const namespace = configured ?? podNamespace() ?? (await this.#parts.config()).namespace;
    if (namespace) return { name, namespace };
    throw new TerminalError(
      "webhooks: the namespace of the Service is not known; set webhooks.selfManaged.namespace",
    );
  }

  /** Reads the bundle, or renews it. If replicas write at the same time, one succeeds, and the others read its bundle. */
  async #agreeOnBundle(service: WebhookService): Promise<CertificateBundle> {
    const { client, clock, converted } = this.#parts;
    const { name, namespace } = service;
    const { secret: secretName = `${name}-cert`, days = 90 } = this.#options;
    const key = { namespace, name: secretName };
    for (let attempt = 1; ; attempt++) {
      const secret = await client.find(Secret, key, { live: true });
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
        if (secret) await client.update(Secret, { ...secret, data: secretData(bundle) });
        else {
          const created = { metadata: key, type: "kubernetes.io/tls", data: secretData(bundle) };
          await client.create(Secret, created);
        }
        return bundle;
      } catch (error) {
        const lostRace = error instanceof ApiError && (error.isConflict || error.isAlreadyExists);
        if (!lostRace || attempt >= 10) throw error;
      }
    }
  }
}

/** The Service in front of the webhooks. */
interface WebhookService {
  readonly name: string;
  readonly namespace: string;
}

/** Finds the CA that the API server was told to trust; undefined if there is none. */
async function findAuthority(client: Client, service: WebhookService, converted: Iterable<Kind>) {
  const configs: WebhookClientConfig[] = [];
  for await (const { object } of listCAHolders(client, converted))
    configs.push(...clientConfigsOf(object, service));
  // Some configurations begin with a placeholder, and others may have been edited.
  return configs
    .map(({ caBundle = "" }) => Buffer.from(caBundle, "base64").toString("utf8"))
    .find((text) => splitBundle(text).length > 0);
}

/** An object that tells the API server which CA to trust. */
type CAHolder = MutatingWebhookConfiguration | ValidatingWebhookConfiguration | CustomResourceDefinition;

/** The webhook configurations, and the CRDs of converted kinds. */
async function* listCAHolders(
  client: Client,
  converted: Iterable<Kind>,
): AsyncGenerator<{ readonly kind: Kind<CAHolder>; readonly object: DeepReadonly<CAHolder> }> {
  const configurations: Kind<CAHolder>[] = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const kind of configurations)
    for (const object of await client.list(kind, { live: true })) yield { kind, object };
  for (const { plural, group } of converted) {
    const key = { name: `${plural}.${group}` };
    const object = await client.find(CustomResourceDefinition, key, { live: true });
    if (object) yield { kind: CustomResourceDefinition, object };
  }
}

/** The client configs of an object that name the Service. */
function clientConfigsOf(object: CAHolder, service: WebhookService): WebhookClientConfig[] {
  const configs =
    "spec" in object
      ? [object.spec.conversion?.webhook?.clientConfig]
      : (object.webhooks ?? []).map(({ clientConfig }) => clientConfig);
  return configs.filter(
    (config) => config?.service?.name === service.name && config.service.namespace === service.namespace,
  ) as WebhookClientConfig[];
}

/**
 * Writes the CA to every webhook configuration that names the Service, and to the CRDs of converted kinds, unless it is
 * already there. Returns the names of the changed objects.
 */
async function injectAuthority(
  client: Client,
  service: WebhookService,
  converted: Iterable<Kind>,
  pem: string,
): Promise<string[]> {
  const caBundle = Buffer.from(pem).toString("base64");
  const changed: string[] = [];
  for await (const { kind, object } of listCAHolders(client, converted)) {
    if (clientConfigsOf(object, service).every((config) => config.caBundle === caBundle)) continue;
    await client.patch(kind, object, (draft) => {
      for (const config of clientConfigsOf(draft, service)) config.caBundle = caBundle;
    });
    changed.push(`${kind.kind} ${object.metadata.name}`);
  }
  return changed;
}

/** A CA and the serving certificate that it signed, all PEM. */
interface CertificateBundle {
  /** The CAs that callers should trust: the current one, and the previous one while its certificates are in use. */
  readonly caBundle: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

const secretKeys = { caBundle: "ca.crt", caKey: "ca.key", cert: "tls.crt", key: "tls.key" } as const;

function secretData(bundle: CertificateBundle): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(secretKeys).map(([field, name]) => [
      name,
      Buffer.from(bundle[field as keyof typeof secretKeys]).toString("base64"),
    ]),
  );
}

/** A Secret that lacks a key, was created empty, or holds what can't be used, counts as missing. */
function readSecret({ data = {} }: Secret): CertificateBundle | undefined {
  const read = (name: string) => Buffer.from(data[name] ?? "", "base64").toString("utf8");
  const bundle = {
    caBundle: read(secretKeys.caBundle),
    caKey: read(secretKeys.caKey),
    cert: read(secretKeys.cert),
    key: read(secretKeys.key),
  };
  return isUsable(bundle) ? bundle : undefined;
}

/** Returns true if the certificates and keys of a bundle belong together: its Secret may have been edited. */
function isUsable({ caBundle, caKey, cert, key }: CertificateBundle): boolean {
  try {
    const authorities = splitBundle(caBundle);
    assertUsable({ cert, key });
    assertUsable({ cert: authorities[0] ?? "", key: caKey });
    const certificate = new X509Certificate(cert);
    return authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
  } catch {
    return false;
  }
}

/** The names and the validity of the certificate. */
interface BundleRequest {
  readonly name: string;
  readonly dnsNames: readonly string[];
  readonly now: Date;
  /** Validity of a serving certificate in days; it is replaced after two thirds of them. */
  readonly days: number;
  /** The CAs of a bundle that is lost: their certificates may still be in use. */
  readonly former?: string | undefined;
}

const millisecondsPerDay = 86_400_000;

/** Certificates are valid from this many milliseconds ago: clocks of API servers may be behind ours. */
const clockSkew = 3_600_000;

/**
 * Returns the current bundle while it is valid, otherwise one with a new certificate, and with a new CA if that is old.
 * The previous CA remains trusted, so that replicas may switch at different times.
 */
function renewBundle(current: CertificateBundle | undefined, request: BundleRequest): CertificateBundle {
  const { now, name, dnsNames, days } = request;
  if (
    current &&
    isGood(current.cert, now) &&
    isGood(current.caBundle, now) &&
    hasNames(current.cert, dnsNames)
  )
    return current;
  const notAfter = new Date(now.getTime() + days * millisecondsPerDay);
  const ca = renewAuthority(current, request);
  const notBefore = new Date(now.getTime() - clockSkew);
  const { cert, key } = issueCertificate(ca, {
    commonName: name,
    dnsNames: [...dnsNames],
    usages: ["server"],
    notBefore,
    notAfter,
  });
  const former = splitBundle(current?.caBundle ?? request.former ?? "");
  const trusted = [ca.cert, ...former.filter((pem) => pem.trim() !== ca.cert.trim() && !hasEnded(pem, now))];
  return { caBundle: trusted.slice(0, 2).join(""), caKey: ca.key, cert, key };
}

/** Returns the current CA while it is valid, otherwise a new one. */
function renewAuthority(
  current: CertificateBundle | undefined,
  { now, name, days }: BundleRequest,
): CertificateWithKey {
  const [cert] = current ? splitBundle(current.caBundle) : [];
  if (current && cert !== undefined && isGood(cert, now)) return { cert, key: current.caKey };
  return createCA({
    commonName: `${name}-ca`,
    notBefore: new Date(now.getTime() - clockSkew),
    notAfter: new Date(now.getTime() + 10 * days * millisecondsPerDay),
  });
}

/** Returns true until the time at which a certificate should be renewed. */
function isGood(pem: string, now: Date): boolean {
  return now < renewalTime(pem);
}

/** Returns true for a certificate that has expired, or that can't be parsed because its Secret was edited. */
function hasEnded(pem: string, now: Date): boolean {
  try {
    return now >= describeCertificate(pem).notAfter;
  } catch {
    return true;
  }
}

function hasNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) => certificate.checkHost(name) !== undefined);
}
