/** Returns why an IP address is invalid. Fields that are older than RFC 5952 don't require its canonical form. */
export function checkAddress(text: string): string[] {
  const address = parseAddress(text);
  if (!address) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (address.hasLeadingZeros) return ["must not have leading 0s"];
  return isMapped(address) ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** Returns why an IP address is invalid in a newer field, which requires the canonical form. */
export function checkCanonicalAddress(text: string): string[] {
  return [...checkAddress(text), ...notCanonical(text, canonicalAddress(text))].slice(0, 1);
}

/** Returns why a CIDR such as `10.0.0.0/8` is invalid. Older fields don't require the canonical form. */
export function checkAddressRange(text: string): string[] {
  const range = parseRange(text);
  if (!range) return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  const { address, length, lengthHasLeadingZeros } = range;
  if (address.hasLeadingZeros || lengthHasLeadingZeros) {
    return ["must not have leading 0s in IP or prefix length"];
  }
  if (isMapped(address)) return ["must not have an IPv4-mapped IPv6 address"];
  const masked = bitsOf(address.bytes).slice(length);
  return masked.includes("1") ? ["must not have bits set beyond the prefix length"] : [];
}

/** Returns why a CIDR is invalid in a newer field, which requires the canonical form. */
export function checkCanonicalRange(text: string): string[] {
  return [...checkAddressRange(text), ...notCanonical(text, canonicalRange(text))].slice(0, 1);
}

/** Returns why the address of a network interface, with the length of its network's prefix, is invalid. */
export function checkInterfaceAddress(text: string): string[] {
  if (!parseRange(text))
    return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  return notCanonical(text, canonicalRange(text));
}

/** Warns of an IPv6 address that is not in the form of RFC 5952. */
export function* addressWarnings(field: string, text: string): Generator<string, void> {
  yield* formWarnings(`${field}: IPv6 address`, text, canonicalAddress(text));
}

/** Warns of an IPv6 CIDR that is not in the form of RFC 5952. */
export function* rangeWarnings(field: string, text: string): Generator<string, void> {
  yield* formWarnings(`${field}: IPv6 CIDR value`, text, canonicalRange(text));
}

function* formWarnings(label: string, text: string, canonical: string | undefined): Generator<string, void> {
  if (canonical === undefined || canonical === text || !text.includes(":")) return;
  yield `${label} "${text}" should be in RFC 5952 canonical format ("${canonical}")`;
}

/** The IP family of an address or a CIDR, if it is one. */
export function familyOf(text: string): 4 | 6 | undefined {
  const address = text.includes("/") ? parseRange(text)?.address : parseAddress(text);
  if (!address) return undefined;
  return address.bytes.length === 4 || isMapped(address) ? 4 : 6;
}

/** Returns true if a range lies within another one and is smaller. */
export function isStrictSubset(inner: string, outer: string): boolean {
  const [part, whole] = [parseRange(inner), parseRange(outer)];
  if (!part || !whole || part.address.bytes.length !== whole.address.bytes.length) return false;
  const [bits, prefix] = [bitsOf(part.address.bytes), bitsOf(whole.address.bytes).slice(0, whole.length)];
  return part.length > whole.length && bits.startsWith(prefix);
}

/** Returns true if Go can parse a text as an IP address. */
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

/** Returns true if Go can parse a text as a CIDR. */
export const isRange = (text: string): boolean => parseRange(text) !== undefined;

function notCanonical(text: string, canonical: string | undefined): string[] {
  return canonical === text ? [] : [`must be in canonical form ("${canonical}")`];
}

function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && format(address.bytes);
}

function canonicalRange(text: string): string | undefined {
  const range = parseRange(text);
  return range && `${format(range.address.bytes)}/${range.length}`;
}

function parseRange(text: string) {
  const [, before = "", digits = ""] = /^([^/]*)\/([0-9]+)$/.exec(text) ?? [];
  const address = parseAddress(before);
  if (!address || Number(digits) > address.bytes.length * 8) return undefined;
  return { address, length: Number(digits), lengthHasLeadingZeros: /^0[0-9]/.test(digits) };
}

/** An IP address as Go's parser reads it. */
interface Address {
  /** 4 bytes, or 16 for IPv6. */
  readonly bytes: readonly number[];
  /** True if a part has leading zeros: older parsers accepted them, newer ones don't. */
  readonly hasLeadingZeros: boolean;
}

function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): Address | undefined {
  if (!/^[0-9]+(\.[0-9]+){3}$/.test(text)) return undefined;
  const parts = text.split(".");
  const bytes = parts.map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return { bytes, hasLeadingZeros: parts.some((part) => /^0[0-9]/.test(part)) };
}

const groups = 8;

function parseIPv6(text: string): Address | undefined {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const embedded = tail.includes(".") ? parseIPv4(tail) : undefined;
  if (tail.includes(".") && !embedded) return undefined;
  const hex = embedded ? `${text.slice(0, -tail.length)}${hexOf(embedded.bytes)}` : text;
  const [head = "", rest, ...more] = hex.split("::");
  if (more.length > 0) return undefined;
  const left = head === "" ? [] : head.split(":");
  const right = rest === undefined || rest === "" ? [] : rest.split(":");
  const missing = groups - left.length - right.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const bytes = all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
  return { bytes, hasLeadingZeros: embedded?.hasLeadingZeros ?? false };
}

function hexOf(bytes: readonly number[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function isMapped({ bytes }: Pick<Address, "bytes">): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255
  );
}

function bitsOf(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
}

/** The canonical form: `::` stands for the first of the longest runs of two or more zero groups. */
function format(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  if (isMapped({ bytes })) return bytes.slice(12).join(".");
  const text = Array.from({ length: groups }, (_, index) =>
    (bytes[2 * index]! * 256 + bytes[2 * index + 1]!).toString(16),
  ).join(":");
  const runs = [...text.matchAll(/\b0(:0)+\b/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest === "") return text;
  return text.replace(new RegExp(`(^|:)${longest}(:|$)`), "::");
}
