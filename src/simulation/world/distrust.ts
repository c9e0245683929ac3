import { X509Certificate } from "node:crypto";
import { splitBundle } from "@tsbuilder/apimachinery/certs";
import type { WebhookPost } from "@tsbuilder/cluster";

/** The API server called a webhook whose certificate it doesn't trust. */
export class DistrustError extends Error {
  constructor(reason: string) {
    super(`tls: failed to verify certificate: x509: ${reason}`);
  }
}

/** Why the API server doesn't trust a webhook's certificate; undefined if it does, or if the operator doesn't manage one. */
export function distrustOf(
  pem: string | undefined,
  { caBundle = "", service }: WebhookPost["config"],
  date: number,
): string | undefined {
  if (pem === undefined) return undefined;
  const certificate = new X509Certificate(pem);
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean =>
    Date.parse(validFrom) <= date && date <= Date.parse(validTo);
  if (!isValid(certificate)) return "certificate has expired or is not yet valid";
  const bundle = Buffer.from(caBundle, "base64").toString("utf8");
  const authorities = splitBundle(bundle).map((ca) => new X509Certificate(ca));
  if (!authorities.some((ca) => isValid(ca) && certificate.verify(ca.publicKey)))
    return "certificate signed by unknown authority";
  const host = service && `${service.name}.${service.namespace}.svc`;
  return host === undefined || certificate.checkHost(host) !== undefined
    ? undefined
    : `certificate is not valid for ${host}`;
}
