import { X509Certificate } from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { readSubject, type Subject } from "./names.ts";

/** What can be read off a certificate. */
export interface CertificateDescription extends Subject {
  readonly isCA: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly serialNumber: string;
}

/** Reads a certificate in PEM; of a chain, the first. */
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

/** When a certificate should be replaced: two thirds into its life, so that a third is left to retry. */
export function renewalTime(pem: string): Date {
  const { notBefore, notAfter } = describeCertificate(pem);
  return new Date(notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
}
