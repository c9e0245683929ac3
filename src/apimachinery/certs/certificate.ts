import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { bitString, integer, oid, sequence, tagged, time } from "./der.ts";
import { authorityExtensions, leafExtensions, type Usage } from "./extensions.ts";
import { type AlternativeNames, type Subject, writeSubject } from "./names.ts";

/** A certificate and its private key, both PEM; the key is PKCS#8. */
export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

/** The validity period. Default: one year from now on (for a CA: ten years). */
export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** What stands in a leaf certificate. */
export interface CertificateOptions extends Subject, AlternativeNames, Validity {
  readonly usages: readonly Usage[];
}

/** Makes a certificate authority that signs itself: ECDSA on P-256, as everything here. */
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

/** Makes a key and a certificate for it that an authority signs. */
export function issueCertificate(ca: CertificateWithKey, options: CertificateOptions): CertificateWithKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { cert: certify(ca, publicKey, options), key: toPEM(privateKey) };
}

/** Issues a certificate for a given public key. */
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
  // 19 random bytes behind a 1 are a positive number of a fixed length, within the 20 bytes that are allowed.
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
  if (signer.asymmetricKeyType !== "ec") throw new TypeError("only ECDSA keys can sign certificates here");
  const certificate = sequence(body, algorithm, bitString(sign("sha256", body, signer)));
  return `-----BEGIN CERTIFICATE-----\n${wrap(certificate.toString("base64"))}-----END CERTIFICATE-----\n`;
}

/** The issuer's name as its own certificate writes it, byte for byte: chains are found by it. */
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
