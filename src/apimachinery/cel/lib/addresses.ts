import { quote } from "../../text/index.ts";
import type { IPAddress, Network } from "../../schema/formats/ip.ts";
import { formatIP, isMapped, parseCIDR, parseIP } from "../../schema/formats/ip.ts";
import { type FunctionDecl, type TypeOf, declare, method, typed } from "../functions/function.ts";
import { opaqueType } from "../types/type.ts";
import { EvalError, succeeds } from "../values/eval-error.ts";
import { Boxed, type Value } from "../values/value.ts";

const { bool, int, string } = typed;

/** The type of IP addresses. */
export const ipType: TypeOf<IPValue> = opaqueType("net.IP");

/** The type of CIDRs: `10.0.0.0/8`. */
export const cidrType: TypeOf<CIDRValue> = opaqueType("net.CIDR");

class IPValue extends Boxed<IPAddress> {
  readonly celType = ipType;

  get bytes(): Uint8Array {
    return this.content.bytes;
  }

  equals(other: Value): boolean {
    return other instanceof IPValue && Buffer.compare(other.bytes, this.bytes) === 0;
  }
}

/** A parsed CIDR, as `cidr()` returns it. */
export class CIDRValue extends Boxed<Network> {
  readonly celType = cidrType;

  /** Its size in the cost model: the bytes of the prefix. */
  get size(): number {
    return Math.ceil(this.content.prefix / 8);
  }

  equals(other: Value): boolean {
    if (!(other instanceof CIDRValue) || other.content.prefix !== this.content.prefix) return false;
    return Buffer.compare(other.content.address.bytes, this.content.address.bytes) === 0;
  }
}

// The properties of Go's `netip.Addr`, for four and sixteen bytes.
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);
const isLoopback = (bytes: Uint8Array): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : isZero(bytes.subarray(0, 15)) && bytes[15] === 1;
const isMulticast = (bytes: Uint8Array): boolean =>
  bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalMulticast = (bytes: Uint8Array): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
const isLinkLocalUnicast = (bytes: Uint8Array): boolean =>
  bytes.length === 4
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isBroadcast = (bytes: Uint8Array): boolean => bytes.length === 4 && bytes.every((byte) => byte === 255);
const isGlobalUnicast = (bytes: Uint8Array): boolean =>
  !isBroadcast(bytes) &&
  !isZero(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes);

/** The functions of IP addresses, which have no zone and are not IPv4-mapped. */
const ips: readonly FunctionDecl[] = [
  declare("ip", "string_to_ip", [string], ipType, toIP),
  declare("isIP", "is_ip", [string], bool, succeeds(toIP)),
  declare(
    "ip.isCanonical",
    "ip_is_canonical",
    [string],
    bool,
    (text) => formatIP(toIP(text).content) === text,
  ),
  method("family", "ip_family", [ipType], int, ({ bytes }) => (bytes.length === 4 ? 4 : 6)),
  declare("string", "ip_to_string", [ipType], string, ({ content }) => formatIP(content)),
  addressMethod("isUnspecified", "ip_is_unspecified", isZero),
  addressMethod("isLoopback", "ip_is_loopback", isLoopback),
  addressMethod("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
  addressMethod("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
  addressMethod("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
];

/** The functions of CIDRs, whose address may have bits beyond the prefix. */
const cidrs: readonly FunctionDecl[] = [
  declare("cidr", "string_to_cidr", [string], cidrType, toCIDR),
  declare("isCIDR", "is_cidr", [string], bool, succeeds(toCIDR)),
  method("containsIP", "cidr_contains_ip_string", [cidrType, string], bool, ({ content }, text) =>
    isWithin(content, toIP(text).bytes),
  ),
  method("containsIP", "cidr_contains_ip_ip", [cidrType, ipType], bool, ({ content }, { bytes }) =>
    isWithin(content, bytes),
  ),
  method("containsCIDR", "cidr_contains_cidr_string", [cidrType, string], bool, (outer, text) =>
    containsNetwork(outer, toCIDR(text)),
  ),
  method("containsCIDR", "cidr_contains_cidr", [cidrType, cidrType], bool, containsNetwork),
  method("ip", "cidr_ip", [cidrType], ipType, ({ content }) => new IPValue(content.address)),
  method("prefixLength", "cidr_prefix_length", [cidrType], int, ({ content }) => content.prefix),
  method(
    "masked",
    "cidr_masked",
    [cidrType],
    cidrType,
    ({ content: { address, prefix } }) =>
      new CIDRValue({ address: { bytes: mask(address.bytes, prefix) }, prefix }),
  ),
  declare(
    "string",
    "cidr_to_string",
    [cidrType],
    string,
    ({ content }) => `${formatIP(content.address)}/${content.prefix}`,
  ),
];

/** Kubernetes' IP and CIDR libraries. */
export const addresses: readonly FunctionDecl[] = [...ips, ...cidrs];

function toIP(text: string): IPValue {
  const address = parseIP(text, { zones: true });
  const shown = quote(text);
  if (!address) {
    const reason = `parse error during conversion from string: ParseAddr(${shown}): unable to parse IP`;
    throw new EvalError(`IP Address ${shown} ${reason}`);
  }
  if (address.zone !== undefined) throw new EvalError(`IP address ${shown} with zone value is not allowed`);
  if (isMapped(address.bytes)) throw new EvalError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new IPValue(address);
}

function toCIDR(text: string): CIDRValue {
  const network = parseCIDR(text);
  const prefix = "network address parse error during conversion from string";
  if (!network) throw new EvalError(`${prefix}: ${prefix}: netip.ParsePrefix(${quote(text)}): no '/'`);
  if (isMapped(network.address.bytes))
    throw new EvalError(`${prefix}: IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new CIDRValue(network);
}

function mask(bytes: Uint8Array, prefix: number): Uint8Array {
  return bytes.map((byte, index) => {
    const bits = Math.min(Math.max(prefix - index * 8, 0), 8);
    return byte & (0xff << (8 - bits)) & 0xff;
  });
}

function isWithin({ address, prefix }: Network, bytes: Uint8Array): boolean {
  if (address.bytes.length !== bytes.length) return false;
  return Buffer.compare(mask(bytes, prefix), mask(address.bytes, prefix)) === 0;
}

function containsNetwork(outer: CIDRValue, inner: CIDRValue): boolean {
  return outer.content.prefix <= inner.content.prefix && isWithin(outer.content, inner.content.address.bytes);
}

function addressMethod(name: string, id: string, holds: (bytes: Uint8Array) => boolean): FunctionDecl {
  return method(name, id, [ipType], bool, ({ bytes }) => holds(bytes));
}
