import { isIPv4, isIPv6 } from "node:net";
import { type DerValue, readChildren, readOid } from "./der-reader.ts";
import { oid, sequence, set, tagged, utf8String } from "./der.ts";

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

export function writeSubject({ commonName, organizations = [] }: Subject): Buffer {
  const parts: [string, string][] = organizations.map((organization) => [organizationId, organization]);
  if (commonName !== undefined) parts.push([commonNameId, commonName]);
  return sequence(...parts.map(([type, text]) => set(sequence(oid(type), utf8String(text)))));
}

export function readSubject(name: DerValue): Subject {
  const parts = readChildren(name)
    .flatMap(readChildren)
    .map((part) => {
      const [type, value] = readChildren(part);
      return { type: readOid(type!), text: value!.content.toString() };
    });
  const commonName = parts.find(({ type }) => type === commonNameId)?.text;
  const organizations = parts.filter(({ type }) => type === organizationId).map(({ text }) => text);
  return { ...(commonName !== undefined && { commonName }), organizations };
}

const commonNameId = "2.5.4.3";
const organizationId = "2.5.4.10";

export function writeAlternativeNames({ dnsNames = [], ipAddresses = [] }: AlternativeNames): Buffer {
  const names = dnsNames.map((name) => tagged(dns, Buffer.from(name), { constructed: false }));
  const addresses = ipAddresses.map((address) => tagged(ip, toBytes(address), { constructed: false }));
  return sequence(...names, ...addresses);
}

export function readAlternativeNames(names: DerValue): Required<AlternativeNames> {
  const values = readChildren(names);
  const ofType = (number: number): DerValue[] => values.filter(({ tag }) => (tag & 0x1f) === number);
  return {
    dnsNames: ofType(dns).map(({ content }) => content.toString()),
    ipAddresses: ofType(ip).map(({ content }) => fromBytes(content)),
  };
}

const dns = 2;
const ip = 7;

function toBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  if (!isIPv6(address)) throw new TypeError(`${JSON.stringify(address)} is not an IP address`);
  // The URL parser turns an embedded IPv4 address into two groups.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function fromBytes(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join(".");
  const groups = bytes.toString("hex").match(/.{4}/gu) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
