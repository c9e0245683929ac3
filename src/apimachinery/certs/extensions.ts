import { createHash, type KeyObject } from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { derTrue, octetString, oid, sequence, tagged } from "./der.ts";
import { type AlternativeNames, type Subject, writeAlternativeNames } from "./names.ts";

/** The extended key usage of a leaf certificate. */
export type Usage = "server" | "client";

/** The extensions of a CA certificate, complete enough for strict verifiers. */
export function authorityExtensions(publicKey: KeyObject): Buffer[] {
  return [
    extension(oids.basicConstraints, sequence(derTrue), { critical: true }),
    extension(oids.keyUsage, keyUsage.authority, { critical: true }),
    extension(oids.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
  ];
}

/** The extensions of a leaf certificate: its usage, its alternative names and its issuer's key. */
export function leafExtensions(
  publicKey: KeyObject,
  authorityKey: KeyObject,
  options: Subject & AlternativeNames & { readonly usages: readonly Usage[] },
): Buffer[] {
  const { dnsNames = [], ipAddresses = [], organizations = [], commonName, usages } = options;
  const hasNames = dnsNames.length + ipAddresses.length > 0;
  // RFC 5280: the alternative names must be critical if the subject is empty.
  const critical = commonName === undefined && organizations.length === 0;
  return [
    extension(oids.keyUsage, keyUsage.leaf, { critical: true }),
    extension(oids.extendedKeyUsage, sequence(...usages.map((usage) => oid(purpose[usage])))),
    extension(oids.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    extension(
      oids.authorityKeyIdentifier,
      sequence(tagged(0, keyIdentifier(authorityKey), { constructed: false })),
    ),
    ...(hasNames ? [extension(oids.alternativeNames, writeAlternativeNames(options), { critical })] : []),
  ];
}

const oids = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

const purpose: Readonly<Record<Usage, string>> = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** Key usages as bit strings: keyCertSign and cRLSign for a CA, digitalSignature for a leaf. */
const keyUsage = {
  authority: Buffer.from([0x03, 0x02, 0x01, 0x06]),
  leaf: Buffer.from([0x03, 0x02, 0x07, 0x80]),
};

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return sequence(oid(id), ...(critical ? [derTrue] : []), octetString(value));
}

/** The first 160 bits of the key's hash (RFC 7093). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, key] = readChildren(readDer(publicKey.export({ type: "spki", format: "der" })));
  // The first byte of a BIT STRING counts unused bits.
  return createHash("sha256").update(key!.content.subarray(1)).digest().subarray(0, 20);
}
