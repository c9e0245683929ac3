import { type CertificateRequest, parseCertificateRequest } from "@tsbuilder/apimachinery/certs";

/** Reads a request in base64; undefined if it is malformed, or of an algorithm that this server doesn't know. */
export function readRequest(request: string): CertificateRequest | undefined {
  try {
    return parseCertificateRequest(decodeRequest(request));
  } catch {
    return undefined;
  }
}

/** The PEM of a request in base64. */
export function decodeRequest(request: string): string {
  return Buffer.from(request, "base64").toString("latin1");
}
