import { X509Certificate } from "node:crypto";
import {
  type CertificateWithKey,
  createCA,
  describeCertificate,
  issueCertificate,
  renewalTime,
  splitBundle,
} from "@tsbuilder/apimachinery/certs";
import { assertUsable } from "./certificate-files.ts";

/** A CA and the serving certificate that it signed, all PEM. */
export interface CertificateBundle {
  /** The CAs that callers should trust: the current one, and the previous one while its certificates are in use. */
  readonly caBundle: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

/** Returns true if the certificates and keys of a bundle belong together: its Secret may have been edited. */
export function isUsable({ caBundle, caKey, cert, key }: CertificateBundle): boolean {
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
export interface BundleRequest {
  readonly name: string;
  readonly dnsNames: readonly string[];
  readonly now: Date;
  /** Validity of a serving certificate in days; it is replaced after two thirds of them. */
  readonly days: number;
  /** The CAs of a bundle that is lost: their certificates may still be in use. */
  readonly former?: string | undefined;
}

const dayLength = 86_400_000;

/**
 * Returns the current bundle while it is valid, otherwise one with a new certificate, and with a new CA if that is old.
 * The previous CA remains trusted, so that replicas may switch at different times.
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
  // The clocks of API servers may be slightly behind ours.
  const notBefore = new Date(now.getTime() - 3_600_000);
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
