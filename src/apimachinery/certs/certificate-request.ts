import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { certify, type CertificateWithKey, type Validity } from "./certificate.ts";
import { type DerValue, readChildren, readDer, readOid } from "./der-reader.ts";
import type { Usage } from "./extensions.ts";
import { type AlternativeNames, readAlternativeNames, readSubject, type Subject } from "./names.ts";

/** The content of a certificate signing request (PKCS#10) whose signature was verified with its own public key. */
export interface CertificateRequest extends Subject, Required<AlternativeNames> {
  readonly publicKey: KeyObject;
}

/**
 * Parses a certificate signing request in PEM.
 * @throws TypeError if it is malformed or its signature does not match its public key
 */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const base64 = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([\s\S]+?)-----END/u.exec(pem)?.[1];
  if (base64 === undefined) throw new TypeError("PEM block type must be CERTIFICATE REQUEST");
  const [body, algorithm, signature] = readChildren(readDer(Buffer.from(base64, "base64")));
  const [, subject, key, attributes] = readChildren(body!);
  const publicKey = createPublicKey({ key: key!.bytes, type: "spki", format: "der" });
  const hash = hashes[readOid(readChildren(algorithm!)[0]!)];
  if (hash === undefined)
    throw new TypeError("the certificate request's signature algorithm is not supported");
  if (!verify(hash, body!.bytes, publicKey, signature!.content.subarray(1))) {
    throw new TypeError("the certificate request's signature does not belong to its key");
  }
  return { ...readSubject(subject!), ...requestedNames(attributes), publicKey };
}

/** Signs a request with the subject and names that it asks for. */
export function signCertificateRequest(
  ca: CertificateWithKey,
  pem: string,
  options: { readonly usages: readonly Usage[] } & Validity,
): string {
  const { publicKey, ...names } = parseCertificateRequest(pem);
  return certify(ca, publicKey, { ...names, ...options });
}

/** `null`: the algorithm has its own hash. */
const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
};

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeNames = "2.5.29.17";

function requestedNames(attributes: DerValue | undefined): Required<AlternativeNames> {
  const extensions = (attributes ? readChildren(attributes) : [])
    .map(readChildren)
    .filter(([type]) => readOid(type!) === extensionRequest)
    .flatMap(([, values]) => readChildren(values!).flatMap(readChildren))
    .map(readChildren);
  const names = extensions.find(([id]) => readOid(id!) === alternativeNames);
  return names ? readAlternativeNames(readDer(names.at(-1)!.content)) : { dnsNames: [], ipAddresses: [] };
}
