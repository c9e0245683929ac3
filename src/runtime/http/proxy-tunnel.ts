import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { onAbort } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";

/** Opens a connection to a host through a proxy: HTTP CONNECT, or SOCKS 5 with names resolved by the proxy. */
export async function openTunnel(
  proxyUrl: string,
  { host, port, signal }: { readonly host: string; readonly port: number; readonly signal: AbortSignal },
): Promise<net.Socket> {
  const proxy = new URL(proxyUrl);
  const socket = connect(proxy);
  const forget = onAbort(signal, () => socket.destroy(signal.reason as Error));
  try {
    await once(socket, socket instanceof tls.TLSSocket ? "secureConnect" : "connect");
    if (proxy.protocol.startsWith("socks5")) await askSocks(socket, proxy, host, port);
    else await askHttp(socket, proxy, host, port);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    forget();
  }
}

/** The proxy for a server from the environment; undefined if there is none, or NO_PROXY excludes the server. */
export function proxyFromEnvironment(
  server: string,
  env: { readonly [name: string]: string | undefined },
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name] ?? env[name.toLowerCase()];
  if (!proxy || isLoopback(hostname)) return undefined;
  const exceptions = (env.NO_PROXY ?? env.no_proxy ?? "").split(",").map((entry) => entry.trim());
  if (exceptions.some((entry) => isExcepted(hostname, port || String(defaultPorts[protocol]), entry)))
    return undefined;
  return hasScheme(proxy) ? proxy : `http://${proxy}`;
}

export function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

const defaultPorts: { readonly [protocol: string]: number } = {
  "https:": 443,
  "http:": 80,
  "socks5:": 1080,
  "socks5h:": 1080,
};

export function isProxyProtocol(protocol: string): boolean {
  return Object.hasOwn(defaultPorts, protocol);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** An entry is a domain name, which includes its subdomains, an address, either with a port, or an address range. */
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

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function connect(proxy: URL): net.Socket {
  const host = unbracketed(proxy.hostname);
  // The proxy's port is no reason to accept another protocol.
  if (!isProxyProtocol(proxy.protocol))
    throw new TerminalError(`the proxy ${proxy.host} must be http, https or socks5, not ${proxy.protocol}`);
  const port = Number(proxy.port) || defaultPorts[proxy.protocol]!;
  const socket =
    proxy.protocol === "https:"
      ? tls.connect({ host, port, ...(net.isIP(host) === 0 && { servername: host }) })
      : net.connect({ host, port });
  // A socket may emit several errors; none must end the program.
  return socket.on("error", () => {});
}

async function askHttp(socket: net.Socket, proxy: URL, host: string, port: number): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = proxy.username
    ? `Proxy-Authorization: Basic ${Buffer.from(user).toString("base64")}\r\n`
    : "";
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const head = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const [, status = ""] = /^HTTP\/1\.\d (\d+)/.exec(head.toString("latin1")) ?? [];
  if (status !== "200") throw new Error(`the proxy ${proxy.host} refused to connect to ${target}: ${status}`);
}

async function askSocks(socket: net.Socket, proxy: URL, host: string, port: number): Promise<void> {
  const [user, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
  socket.write(user ? Buffer.of(5, 1, 2) : Buffer.of(5, 1, 0));
  const method = (await readUntil(socket, () => 2))[1];
  if (method === 2) {
    const parts = [user, password].map((part) => Buffer.from(part));
    socket.write(Buffer.concat([Buffer.of(1), ...parts.flatMap((part) => [Buffer.of(part.length), part])]));
    const [, failed] = await readUntil(socket, () => 2);
    if (failed) throw new Error(`the proxy ${proxy.host} refused the user "${user}"`);
  } else if (method !== 0) {
    throw new Error(`the proxy ${proxy.host} requires an unsupported authentication method`);
  }
  const name = Buffer.from(host);
  socket.write(Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), name, Buffer.of(port >> 8, port & 255)]));
  const answer = await readUntil(socket, (bytes) => {
    const sizes: { [kind: number]: number } = { 1: 4, 3: 1 + (bytes[4] ?? 0), 4: 16 };
    return bytes.length < 5 ? undefined : 6 + (sizes[bytes[3] ?? 0] ?? 0);
  });
  if (answer[1] !== 0)
    throw new Error(`the proxy ${proxy.host} could not connect to ${host}:${port}: code ${answer[1]}`);
}

/** Reads until there are as many bytes as `length` returns, and puts the rest back. */
function readUntil(socket: net.Socket, length: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const finish = (settle: () => void): void => {
      socket.off("readable", onReadable);
      socket.off("error", onError);
      socket.off("end", onEnd);
      settle();
    };
    const onError = (error: Error): void => finish(() => reject(error));
    const onEnd = (): void => onError(new Error("the proxy closed the connection"));
    const onReadable = (): void => {
      for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
        bytes = Buffer.concat([bytes, chunk]);
        const wanted = length(bytes);
        if (wanted === undefined || bytes.length < wanted) continue;
        if (bytes.length > wanted) socket.unshift(bytes.subarray(wanted));
        finish(() => resolve(bytes.subarray(0, wanted)));
        return;
      }
    };
    socket.on("readable", onReadable);
    socket.on("error", onError);
    socket.on("end", onEnd);
    onReadable();
  });
}
