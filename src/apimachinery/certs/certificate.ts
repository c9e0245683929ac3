import * as crypto from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import * as der from "./der.ts";

/** The subject of a certificate. Kubernetes takes `commonName` as the user name and `organizations` as its groups. */
export interface Subject {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
}

/** The DNS names and addresses of a server (subject alternative names). */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  /** IPv4 and IPv6. */
  readonly ipAddresses?: readonly string[];
}

/**
 * The validity period. Default: of a CA, from five minutes ago, for clients whose clocks are late; of its certificates, from
 * when the CA is valid; both as kubeadm does. They end a year from now, a CA in ten years.
 */
export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A certificate and its private key, both PEM; the key is PKCS#8. */
export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

/** The extended key usage of a leaf certificate. */
export type Usage = "server" | "client";

/** The content of a leaf certificate. */
export interface CertificateOptions extends Subject, AlternativeNames, Validity {
  readonly usages: readonly Usage[];
}

/** How long before it is made a certificate of kubeadm or kube-controller-manager begins to be valid. */
export const backdateMilliseconds = 300_000;

/** Creates a self-signed certificate authority: ECDSA on P-256, like every certificate of this module. */
export function createCA({
  commonName,
  notBefore,
  notAfter = yearsAfter(notBefore, 10),
}: { commonName: string } & Validity): CertificateWithKey {
  const { publicKey, privateKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = writeSubject({ commonName });
  const cert = signCertificate({
    issuer: name,
    subject: name,
    publicKey,
    extensions: authorityExtensions(publicKey),
    signer: privateKey,
    notBefore: notBefore ?? new Date(Date.now() - backdateMilliseconds),
    notAfter,
  });
  return { cert, key: toPEM(privateKey) };
}

/** Creates a key and a certificate for it, signed by the CA. */
export function issueCertificate(ca: CertificateWithKey, options: CertificateOptions): CertificateWithKey {
  const { publicKey, privateKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { cert: certify(ca, publicKey, options), key: toPEM(privateKey) };
}

/** Issues a certificate for an existing public key, and returns it in PEM. */
export function certify(
  ca: CertificateWithKey,
  publicKey: crypto.KeyObject,
  options: CertificateOptions,
): string {
  const authority = new crypto.X509Certificate(ca.cert);
  const { notBefore, notAfter = yearsAfter(notBefore, 1) } = options;
  return signCertificate({
    // Verifiers build the chain by comparing the issuer, byte for byte, with the subject in the CA's certificate.
    issuer: subjectOf(authority).bytes,
    subject: writeSubject(options),
    publicKey,
    extensions: leafExtensions(publicKey, authority.publicKey, options),
    signer: crypto.createPrivateKey(ca.key),
    notBefore: notBefore ?? new Date(authority.validFrom),
    notAfter,
  });
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";

/** The fields of a certificate; names and extensions are encoded. */
interface CertificateContent {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: crypto.KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: crypto.KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

function signCertificate({
  issuer,
  subject,
  publicKey,
  extensions,
  signer,
  notBefore,
  notAfter,
}: CertificateContent): string {
  const algorithm = der.sequence(der.oid(ecdsaWithSha256));
  // A 1 and 19 random bytes: positive, of fixed length, and within the 20 bytes that RFC 5280 allows.
  const serial = der.integer(Buffer.concat([Buffer.from([1]), crypto.randomBytes(19)]));
  const body = der.sequence(
    der.tagged(0, der.integer(Buffer.from([2]))),
    serial,
    algorithm,
    issuer,
    der.sequence(der.time(notBefore), der.time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der.tagged(3, der.sequence(...extensions)),
  );
  if (signer.asymmetricKeyType !== "ec") throw new TypeError("the CA's key must be an ECDSA key");
  const certificate = der.sequence(body, algorithm, der.bitString(crypto.sign("sha256", body, signer)));
  const lines = certificate.toString("base64").replaceAll(/.{1,64}/gu, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

/** Returns the subject of a certificate: the sixth field of the part that is signed. */
function subjectOf(certificate: crypto.X509Certificate): der.DerValue {
  const [body] = der.readChildren(der.readDer(certificate.raw));
  return der.readChildren(body!)[5]!;
}

function yearsAfter(start: Date | undefined, years: number): Date {
  const end = new Date(start ?? Date.now());
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end;
}

function toPEM(key: crypto.KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

const commonNameId = "2.5.4.3";
const organizationId = "2.5.4.10";

function writeSubject({ commonName, organizations = [] }: Subject): Buffer {
  const parts: [string, string][] = organizations.map((organization) => [organizationId, organization]);
  if (commonName !== undefined) parts.push([commonNameId, commonName]);
  return der.sequence(
    ...parts.map(([type, text]) => der.set(der.sequence(der.oid(type), der.utf8String(text)))),
  );
}

/** The identifiers of extensions. */
const oids = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  /** The attribute of a request that has the extensions which it asks for (PKCS#9). */
  extensionRequest: "1.2.840.113549.1.9.14",
} as const;

/** Key usages as bit strings: keyCertSign and cRLSign for a CA, digitalSignature for a leaf. */
const keyUsage = {
  authority: Buffer.from([0x03, 0x02, 0x01, 0x06]),
  leaf: Buffer.from([0x03, 0x02, 0x07, 0x80]),
};

/** The extensions of a CA certificate, complete enough for strict verifiers. */
function authorityExtensions(publicKey: crypto.KeyObject): Buffer[] {
  return [
    extension(oids.basicConstraints, der.sequence(der.trueValue), { critical: true }),
    extension(oids.keyUsage, keyUsage.authority, { critical: true }),
    extension(oids.subjectKeyIdentifier, der.octetString(keyIdentifier(publicKey))),
  ];
}

const usageIds: Readonly<Record<Usage, string>> = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
};

/** The extensions of a leaf certificate: its usage, its alternative names and its issuer's key. */
function leafExtensions(
  publicKey: crypto.KeyObject,
  authorityKey: crypto.KeyObject,
  options: CertificateOptions,
): Buffer[] {
  const { dnsNames = [], ipAddresses = [], organizations = [], commonName, usages } = options;
  const hasNames = dnsNames.length + ipAddresses.length > 0;
  // RFC 5280: the alternative names must be critical if the subject is empty.
  const critical = commonName === undefined && organizations.length === 0;
  return [
    extension(oids.keyUsage, keyUsage.leaf, { critical: true }),
    extension(oids.extendedKeyUsage, der.sequence(...usages.map((usage) => der.oid(usageIds[usage])))),
    extension(oids.subjectKeyIdentifier, der.octetString(keyIdentifier(publicKey))),
    extension(
      oids.authorityKeyIdentifier,
      der.sequence(der.tagged(0, keyIdentifier(authorityKey), { constructed: false })),
    ),
    ...(hasNames ? [extension(oids.alternativeNames, writeAlternativeNames(options), { critical })] : []),
  ];
}

/** The tags of DNS names and IP addresses among the alternative names (RFC 5280, GeneralName). */
const nameTags = { dns: 2, ip: 7 };

function writeAlternativeNames({ dnsNames = [], ipAddresses = [] }: AlternativeNames): Buffer {
  const names = dnsNames.map((name) => der.tagged(nameTags.dns, Buffer.from(name), { constructed: false }));
  const addresses = ipAddresses.map((address) =>
    der.tagged(nameTags.ip, encodeAddress(address), { constructed: false }),
  );
  return der.sequence(...names, ...addresses);
}

function encodeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  if (!isIPv6(address)) throw new TypeError(`${JSON.stringify(address)} is not an IP address`);
  // The URL parser turns an embedded IPv4 address into two groups.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return der.sequence(der.oid(id), ...(critical ? [der.trueValue] : []), der.octetString(value));
}

/** The first 160 bits of the key's hash (RFC 7093). */
function keyIdentifier(publicKey: crypto.KeyObject): Buffer {
  const [, key] = der.readChildren(der.readDer(publicKey.export({ type: "spki", format: "der" })));
  // The first byte of a BIT STRING counts unused bits.
  return crypto.createHash("sha256").update(key!.content.subarray(1)).digest().subarray(0, 20);
}

/** The content of a certificate signing request (PKCS#10) whose signature was verified with its own public key. */
export interface CertificateRequest extends Subject, Required<AlternativeNames> {
  readonly publicKey: crypto.KeyObject;
}

/** The hashes of signature algorithms: ECDSA and RSA with SHA-2, and Ed25519, which has its own (`null`). */
const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
};

/**
 * Parses a certificate signing request in PEM.
 * @throws TypeError if it is malformed or its signature does not match its public key
 */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const base64 = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([\s\S]+?)-----END/u.exec(pem)?.[1];
  if (base64 === undefined) throw new TypeError("PEM block type must be CERTIFICATE REQUEST");
  const [body, algorithm, signature] = der.readChildren(der.readDer(Buffer.from(base64, "base64")), 3);
  const [, subject, key, attributes] = der.readChildren(body!, 3);
  const publicKey = crypto.createPublicKey({ key: key!.bytes, type: "spki", format: "der" });
  const hash = hashes[der.readOid(der.readChildren(algorithm!, 1)[0]!)];
  if (hash === undefined)
    throw new TypeError("the certificate request's signature algorithm is not supported");
  if (!crypto.verify(hash, body!.bytes, publicKey, signature!.content.subarray(1))) {
    throw new TypeError("the certificate request's signature does not belong to its key");
  }
  return { ...readSubject(subject!), ...readRequestedNames(attributes), publicKey };
}

/** Signs a request; the certificate, in PEM, has the subject and the names that it asks for. */
export function signCertificateRequest(
  ca: CertificateWithKey,
  pem: string,
  options: { readonly usages: readonly Usage[] } & Validity,
): string {
  const { publicKey, ...names } = parseCertificateRequest(pem);
  return certify(ca, publicKey, { ...names, ...options });
}

function readRequestedNames(attributes: der.DerValue | undefined): Required<AlternativeNames> {
  const extensions = (attributes ? der.readChildren(attributes) : [])
    .map((attribute) => der.readChildren(attribute, 2))
    .filter(([type]) => der.readOid(type!) === oids.extensionRequest)
    .flatMap(([, values]) => der.readChildren(values!).flatMap((list) => der.readChildren(list)))
    .map((extension) => der.readChildren(extension, 2));
  const names = extensions.find(([id]) => der.readOid(id!) === oids.alternativeNames);
  return names ? readAlternativeNames(der.readDer(names.at(-1)!.content)) : { dnsNames: [], ipAddresses: [] };
}

function readSubject(name: der.DerValue): Subject {
  const parts = der
    .readChildren(name)
    .flatMap((set) => der.readChildren(set))
    .map((part) => {
      const [type, value] = der.readChildren(part, 2);
      return { type: der.readOid(type!), text: value!.content.toString() };
    });
  const commonName = parts.find(({ type }) => type === commonNameId)?.text;
  const organizations = parts.filter(({ type }) => type === organizationId).map(({ text }) => text);
  return { ...(commonName !== undefined && { commonName }), organizations };
}

function readAlternativeNames(names: der.DerValue): Required<AlternativeNames> {
  const values = der.readChildren(names);
  const ofType = (number: number): der.DerValue[] => values.filter(({ tag }) => (tag & 0x1f) === number);
  return {
    dnsNames: ofType(nameTags.dns).map(({ content }) => content.toString()),
    ipAddresses: ofType(nameTags.ip).map(({ content }) => formatAddress(content)),
  };
}

function formatAddress(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join(".");
  if (bytes.length !== 16) throw new TypeError("an IP address has four or sixteen bytes");
  const groups = bytes.toString("hex").match(/.{4}/gu) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

/** A certificate's subject, validity and serial number. */
export interface CertificateDescription extends Subject {
  readonly isCA: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly serialNumber: string;
}

/** Parses a certificate in PEM; of a chain, the first one. */
export function describeCertificate(pem: string): CertificateDescription {
  const certificate = new crypto.X509Certificate(pem);
  return {
    ...readSubject(subjectOf(certificate)),
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

/** A block of PEM: its type, such as `CERTIFICATE`, and what is in it. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

/** Returns the blocks of PEM in a text; as in Go, what is none is skipped. */
export function splitPem(text: string): PemBlock[] {
  const block =
    /^-----BEGIN ([^\n]*)-----[ \t\r]*\n((?:[^\n:]*:[^\n]*\n)*)([\w+/=\s]*?)-----END \1-----[ \t\r]*$/gmu;
  return [...text.matchAll(block)].map(([, type = "", headers = "", base64 = ""]) => {
    return { type, hasHeaders: headers !== "", bytes: Buffer.from(base64, "base64") };
  });
}

/** Returns the certificates in a text, each in PEM. */
export function splitBundle(text: string): string[] {
  const pems = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return pems.map((pem) => `${pem}\n`);
}
