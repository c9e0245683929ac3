import { X509Certificate } from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { readSubject, type Subject } from "./names.ts";

/** A certificate's subject, validity and serial number. */
export interface CertificateDescription extends Subject {
  readonly isCA: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly serialNumber: string;
}

/** The certificates in a text, each in PEM. */
export function splitBundle(text: string): string[] {
  return (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => `${pem}\n`,
  );
}

/** Parses a certificate in PEM; of a chain, the first one. */
export function describeCertificate(pem: string): CertificateDescription {
  const certificate = new X509Certificate(pem);
  const [body] = readChildren(readDer(certificate.raw));
  return {
    ...readSubject(readChildren(body!)[5]!),
    isCA: certificate.ca,
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
    serialNumber: certificate.serialNumber,
  };
}

/** When to renew a certificate: after two thirds of its validity, which leaves a third for retries. */
export function renewalTime(pem: string): Date {
  const { notBefore, notAfter } = describeCertificate(pem);
  return new Date(notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
}
