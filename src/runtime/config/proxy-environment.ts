import net from "node:net";
import { unbracketed } from "../http/proxy-tunnel.ts";

/** The proxy that the environment names for a server; undefined if it names none, or NO_PROXY excludes the server. */
export function proxyFromEnvironment(
  server: string,
  env: { readonly [name: string]: string | undefined },
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const [name, defaultPort] = protocol === "https:" ? ["HTTPS_PROXY", "443"] : ["HTTP_PROXY", "80"];
  const proxy = env[name] ?? env[name.toLowerCase()];
  if (!proxy || isLoopback(hostname)) return undefined;
  const exceptions = (env.NO_PROXY ?? env.no_proxy ?? "").split(",").map((entry) => entry.trim());
  if (exceptions.some((entry) => isExcepted(hostname, port || defaultPort, entry))) return undefined;
  return hasScheme(proxy) ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** An entry of NO_PROXY is `*`, a range of addresses, or, perhaps with a port, an address or a domain with its subdomains. */
function isExcepted(host: string, port: string, entry: string): boolean {
  if (entry === "" || entry === "*") return entry === "*";
  const address = unbracketed(host);
  const family = net.isIP(address);
  const [range = "", bits, ...rest] = entry.split("/");
  if (bits !== undefined) return rest.length === 0 && isInRange(address, family, range, bits);
  const [, name = entry, wanted = port] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
  if (wanted !== port) return false;
  const domain = unbracketed(name).replace(/^\*?\./, "");
  return address === domain || (family === 0 && domain !== "" && address.endsWith(`.${domain}`));
}

function isInRange(address: string, family: number, range: string, bits: string): boolean {
  if (family === 0 || net.isIP(range) !== family) return false;
  if (!/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new net.BlockList();
  list.addSubnet(range, Number(bits), type);
  return list.check(address, type);
}

/** Returns whether an address is a URL, and not only a host with a port. */
export function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}
