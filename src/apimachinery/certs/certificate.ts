import {
  type KeyObject,
  X509Certificate,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { bitString, integer, oid, sequence, tagged, time } from "./der.ts";
import { type Usage, authorityExtensions, leafExtensions } from "./extensions.ts";
import { type AlternativeNames, type Subject, readSubject, writeSubject } from "./names.ts";

/** A certificate and its private key, both PEM; the key is PKCS#8. */
export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

/** The validity period. Default: one year from now (ten years for a CA). */
export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** The content of a leaf certificate. */
export interface CertificateOptions extends Subject, AlternativeNames, Validity {
  readonly usages: readonly Usage[];
}

/** Creates a self-signed certificate authority: ECDSA on P-256, like every certificate of this module. */
export function createCA({
  commonName,
  notBefore,
  notAfter,
}: { commonName: string } & Validity): CertificateWithKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = writeSubject({ commonName });
  const extensions = authorityExtensions(publicKey);
  const validity = { notBefore, notAfter: notAfter ?? yearsAfter(notBefore, 10) };
  const cert = issue({ issuer: name, subject: name, publicKey, extensions, signer: privateKey, ...validity });
  return { cert, key: toPEM(privateKey) };
}

/** Creates a key and a certificate for it, signed by the CA. */
export function issueCertificate(ca: CertificateWithKey, options: CertificateOptions): CertificateWithKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { cert: certify(ca, publicKey, options), key: toPEM(privateKey) };
}

/** Issues a certificate for an existing public key. */
export function certify(ca: CertificateWithKey, publicKey: KeyObject, options: CertificateOptions): string {
  const authority = new X509Certificate(ca.cert);
  const { notBefore, notAfter = yearsAfter(notBefore, 1) } = options;
  return issue({
    issuer: subjectOf(authority),
    subject: writeSubject(options),
    publicKey,
    extensions: leafExtensions(publicKey, authority.publicKey, options),
    signer: createPrivateKey(ca.key),
    notBefore,
    notAfter,
  });
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";

interface Issue {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: KeyObject;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date;
}

function issue({ issuer, subject, publicKey, extensions, signer, notBefore, notAfter }: Issue): string {
  const algorithm = sequence(oid(ecdsaWithSha256));
  // A 1 and 19 random bytes: positive, of fixed length, and within the 20 bytes that RFC 5280 allows.
  const serial = integer(Buffer.concat([Buffer.from([1]), randomBytes(19)]));
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    serial,
    algorithm,
    issuer,
    sequence(time(notBefore ?? new Date()), time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(3, sequence(...extensions)),
  );
  if (signer.asymmetricKeyType !== "ec") throw new TypeError("the CA's key must be an ECDSA key");
  const certificate = sequence(body, algorithm, bitString(sign("sha256", body, signer)));
  return `-----BEGIN CERTIFICATE-----\n${wrap(certificate.toString("base64"))}-----END CERTIFICATE-----\n`;
}

/** The issuer's name, byte for byte as in its own certificate: verifiers build the chain by comparing the two. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [body] = readChildren(readDer(certificate.raw));
  return readChildren(body!)[5]!.bytes;
}

function yearsAfter(start: Date | undefined, years: number): Date {
  const end = new Date(start ?? Date.now());
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end;
}

function toPEM(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

function wrap(base64: string): string {
  return base64.replaceAll(/.{1,64}/gu, "$&\n");
}

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
