import { createHash, type KeyObject } from "node:crypto";
import { readChildren, readDer } from "./der-reader.ts";
import { octetString, oid, sequence, tagged, TRUE } from "./der.ts";
import { type AlternativeNames, type Subject, writeAlternativeNames } from "./names.ts";

/** What a leaf certificate may be used for. */
export type Usage = "server" | "client";

/** What makes a certificate an authority, in the strict reading of X.509. */
export function authorityExtensions(publicKey: KeyObject): Buffer[] {
  return [
    extension(OID.basicConstraints, sequence(TRUE), { critical: true }),
    extension(OID.keyUsage, KEY_USAGE.authority, { critical: true }),
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
  ];
}

/** What a leaf certificate says of its use, of its names, and of who signed it. */
export function leafExtensions(
  publicKey: KeyObject,
  authorityKey: KeyObject,
  options: Subject & AlternativeNames & { readonly usages: readonly Usage[] },
): Buffer[] {
  const { dnsNames = [], ipAddresses = [], organizations = [], commonName, usages } = options;
  const hasNames = dnsNames.length + ipAddresses.length > 0;
  // Names must be critical where nothing else says whose certificate it is.
  const critical = commonName === undefined && organizations.length === 0;
  return [
    extension(OID.keyUsage, KEY_USAGE.leaf, { critical: true }),
    extension(OID.extendedKeyUsage, sequence(...usages.map((usage) => oid(PURPOSE[usage])))),
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    extension(
      OID.authorityKeyIdentifier,
      sequence(tagged(0, keyIdentifier(authorityKey), { constructed: false })),
    ),
    ...(hasNames ? [extension(OID.alternativeNames, writeAlternativeNames(options), { critical })] : []),
  ];
}

const OID = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

const PURPOSE: Readonly<Record<Usage, string>> = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** Bit strings written out: signing certificates and revocation lists, and signing a handshake. */
const KEY_USAGE = {
  authority: Buffer.from([0x03, 0x02, 0x01, 0x06]),
  leaf: Buffer.from([0x03, 0x02, 0x07, 0x80]),
};

function extension(id: string, value: Uint8Array, { critical = false } = {}): Buffer {
  return sequence(oid(id), ...(critical ? [TRUE] : []), octetString(value));
}

/** The first 160 bits of the key's hash (RFC 7093). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, key] = readChildren(readDer(publicKey.export({ type: "spki", format: "der" })));
  return createHash("sha256").update(key!.content.subarray(1)).digest().subarray(0, 20);
}
