import { X509Certificate } from "node:crypto";
import {
  type CertificateWithKey,
  createCA,
  describeCertificate,
  issueCertificate,
  renewalTime,
} from "@tsbuilder/apimachinery/certs";

/** An authority of our own and the serving certificate it signed, all PEM. */
export interface CertificateBundle {
  /** What callers are to trust: the authority, and behind it the former one while certificates of it are in use. */
  readonly caBundle: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

/** What the certificate is to be good for. */
export interface BundleRequest {
  readonly name: string;
  readonly dnsNames: readonly string[];
  readonly now: Date;
  /** Days that a serving certificate lasts; it is replaced after two thirds of them. */
  readonly days: number;
}

const dayLength = 86_400_000;

/**
 * The bundle to serve with: the current one while it is good, else one with a new certificate, and with a new
 * authority if that is old. The former authority stays trusted, so that replicas may change at different times.
 */
export function renewBundle(
  current: CertificateBundle | undefined,
  request: BundleRequest,
): CertificateBundle {
  const { now, name, dnsNames, days } = request;
  if (
    current &&
    isGood(current.cert, now) &&
    isGood(current.caBundle, now) &&
    hasNames(current.cert, dnsNames)
  )
    return current;
  const notAfter = new Date(now.getTime() + days * dayLength);
  const ca = authority(current, request);
  // Clocks of API servers differ from ours by a little.
  const notBefore = new Date(now.getTime() - 3_600_000);
  const { cert, key } = issueCertificate(ca, {
    commonName: name,
    dnsNames: [...dnsNames],
    usages: ["server"],
    notBefore,
    notAfter,
  });
  const former = current ? splitBundle(current.caBundle) : [];
  const trusted = [ca.cert, ...former.filter((pem) => pem.trim() !== ca.cert.trim() && !hasEnded(pem, now))];
  return { caBundle: trusted.slice(0, 2).join(""), caKey: ca.key, cert, key };
}

function authority(
  current: CertificateBundle | undefined,
  { now, name, days }: BundleRequest,
): CertificateWithKey {
  const [cert] = current ? splitBundle(current.caBundle) : [];
  if (current && cert !== undefined && isGood(cert, now)) return { cert, key: current.caKey };
  return createCA({
    commonName: `${name}-ca`,
    notBefore: new Date(now.getTime() - 3_600_000),
    notAfter: new Date(now.getTime() + 10 * days * dayLength),
  });
}

function isGood(pem: string, now: Date): boolean {
  return now < renewalTime(pem);
}

function hasEnded(pem: string, now: Date): boolean {
  return now >= describeCertificate(pem).notAfter;
}

function hasNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) => certificate.checkHost(name) !== undefined);
}

function splitBundle(bundle: string): string[] {
  return (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => `${pem}\n`,
  );
}
