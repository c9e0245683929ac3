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

const defaultPorts: { readonly [protocol: string]: number } = {
  "https:": 443,
  "http:": 80,
  "socks5:": 1080,
  "socks5h:": 1080,
};

function connect(proxy: URL): net.Socket {
  const host = unbracketed(proxy.hostname);
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

/** Returns whether `openTunnel` supports a URL's protocol, which ends with a colon. */
export function isProxyProtocol(protocol: string): boolean {
  return Object.hasOwn(defaultPorts, protocol);
}

/** An IPv6 address without the brackets that it has in URLs. */
export function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, "");
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

/** SOCKS 5 (RFC 1928), with user and password (RFC 1929). Each message begins with the version of its protocol. */
async function askSocks(socket: net.Socket, proxy: URL, host: string, port: number): Promise<void> {
  const [user, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
  // The methods offered: 0 is none, 2 user and password.
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
  // CONNECT (1) to a domain name (3).
  socket.write(Buffer.concat([Buffer.of(5, 1, 0, 3, name.length), name, Buffer.of(port >> 8, port & 255)]));
  const answer = await readUntil(socket, (bytes) => {
    // The address in the answer, by its kind: IPv4, a name with its length, IPv6. A port of two bytes follows.
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
