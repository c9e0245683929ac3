/** An address: 4 or 16 bytes, and the zone of a scoped IPv6 address. */
export interface IPAddress {
  readonly bytes: Uint8Array;
  readonly zone?: string;
}

/** A network: an address and its prefix length. */
export interface Network {
  readonly address: IPAddress;
  readonly prefix: number;
}

/** The notations that are allowed: `sloppy` accepts leading zeros in IPv4 addresses, `zones` accepts `fe80::1%eth0`. */
export interface IPOptions {
  readonly sloppy?: boolean;
  readonly zones?: boolean;
}

/** Parses an IPv4 or IPv6 address; undefined if the text is not one. */
export function parseIP(text: string, options: IPOptions = {}): IPAddress | undefined {
  if (!text.includes(":")) {
    const bytes = parseIPv4(text, options.sloppy === true);
    return bytes && { bytes };
  }
  const percent = text.indexOf("%");
  if (percent !== -1 && (!options.zones || percent === text.length - 1)) return undefined;
  const bytes = parseIPv6(percent === -1 ? text : text.slice(0, percent), options.sloppy === true);
  if (!bytes) return undefined;
  return percent === -1 ? { bytes } : { bytes, zone: text.slice(percent + 1) };
}

/** Parses `address/length`, without a zone; undefined if the text is not a network. */
export function parseCIDR(text: string, options: IPOptions = {}): Network | undefined {
  const slash = text.lastIndexOf("/");
  if (slash === -1) return undefined;
  const address = parseIP(text.slice(0, slash), { ...options, zones: false });
  const length = text.slice(slash + 1);
  if (!address || !/^\d{1,3}$/.test(length)) return undefined;
  if (length.length > 1 && length.startsWith("0") && !options.sloppy) return undefined;
  const prefix = Number(length);
  return prefix <= address.bytes.length * 8 ? { address, prefix } : undefined;
}

/** Formats an address in canonical form: IPv6 in lower case, with the longest run of zeros as `::`. */
export function formatIP({ bytes, zone }: IPAddress): string {
  if (bytes.length === 4) return bytes.join(".");
  const suffix = zone === undefined ? "" : `%${zone}`;
  if (isMapped(bytes)) return `::ffff:${bytes.slice(12).join(".")}${suffix}`;
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2]! << 8) | bytes[index * 2 + 1]!);
  const { start, length } = findLongestZeros(groups);
  const hex = (part: number[]): string => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return hex(groups) + suffix;
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}${suffix}`;
}

/** Returns true if 16 bytes are an IPv4-mapped address, `::ffff:1.2.3.4`. */
export function isMapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && bytes.subarray(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 255));
}

function parseIPv4(text: string, sloppy: boolean): Uint8Array | undefined {
  const parts = text.split(".");
  const isNumber = (part: string): boolean =>
    /^\d+$/.test(part) && (sloppy || part === "0" || !part.startsWith("0"));
  if (parts.length !== 4 || !parts.every(isNumber)) return undefined;
  const numbers = parts.map(Number);
  return numbers.every((number) => number < 256) ? Uint8Array.from(numbers) : undefined;
}

function parseIPv6(text: string, sloppy: boolean): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!, halves.length === 1, sloppy);
  const tail = halves.length === 1 ? [] : parseGroups(halves[1]!, true, sloppy);
  if (!head || !tail) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...head, ...Array.from({ length: missing }, () => 0), ...tail]);
}

/** Returns the bytes of groups of up to four hexadecimal digits; the last one may be an IPv4 address. */
function parseGroups(text: string, mayEndInIPv4: boolean, sloppy: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    if (group.includes(".") && index === groups.length - 1 && mayEndInIPv4) {
      const ipv4 = parseIPv4(group, sloppy);
      if (!ipv4) return undefined;
      bytes.push(...ipv4);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

function findLongestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}
