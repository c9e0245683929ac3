import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import * as http from "node:http";
import * as net from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as tls from "node:tls";
import type { WebhookPlace } from "../../admission/webhooks/webhook-client.ts";
import type { KubeletTLS } from "../../contract/kubelet-tls.ts";
import { joinStreams } from "../../http/join-streams.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { Core } from "../../registry/core.ts";

/** Where a request is passed on to. */
export interface Destination {
  readonly url: URL;
  /** The path with the query. Default: the URL's. */
  readonly path?: string;
  /** Where to connect to instead of the URL's host: the address of its name, or what a Service stands for. */
  readonly place?: WebhookPlace;
  /** True if the destination gets a request of the server's own, without the client's headers. */
  readonly isOwn?: boolean;
  /** Sent in the place of the client's `Host` and headers that begin with `X-Remote-`. */
  readonly headers?: http.OutgoingHttpHeaders;
  /** Ends the request, as its client does. */
  readonly signal?: AbortSignal;
  /** Absent for pods, whose certificates are not verified. */
  readonly tls?: Partial<KubeletTLS> | undefined;
  /** Default: true if `tls` has a CA. Without one, the certificate has to be of a public authority. */
  readonly isVerified?: boolean;
}

/** The response of a destination, and the connection if it changed the protocol. */
export interface Forwarded {
  readonly response: http.IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer };
}

/** Returns true if a request asks for another protocol on its connection, such as WebSocket or SPDY. */
export function asksForUpgrade({ request }: RequestContext): boolean {
  return request.headers.upgrade !== undefined && /\bupgrade\b/iu.test(request.headers.connection ?? "");
}

/** Headers that are about one connection, let the client in here, or say whose pages may read a response. */
const ownHeaders =
  /^(?:access-control-allow-(?:credentials|headers|methods|origin)|authorization|connection|impersonate-.*|keep-alive|proxy-.*|sec-websocket-protocol|te|trailer|transfer-encoding|upgrade)$/iu;

/** Returns a test for headers that go on: of those about one connection, its header Connection may name more. */
function goesOn({ connection = "" }: http.IncomingHttpHeaders): (name: string) => boolean {
  const named = new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
  return (name) => !ownHeaders.test(name) && !named.has(name.toLowerCase());
}

/** Passes a request on with its body, and returns the response as soon as its headers have arrived. */
export async function forward(
  context: RequestContext,
  core: ConnectionContext,
  destination: Destination,
): Promise<Forwarded> {
  const { request, method } = context;
  const signal = destination.signal ? AbortSignal.any([context.signal, destination.signal]) : context.signal;
  const { url, isOwn, headers: added } = destination;
  const raw = isOwn ? [] : request.rawHeaders;
  const headers = isOwn ? ["Host", url.host] : [];
  const isPassed = goesOn(request.headers);
  for (let index = 0; index < raw.length; index += 2)
    if (isPassed(raw[index]!) && !(added && /^(?:host$|x-remote-)/iu.test(raw[index]!)))
      headers.push(raw[index]!, raw[index + 1]!);
  for (const [name, values] of Object.entries(added ?? {}))
    for (const value of [values].flat()) headers.push(name, String(value));
  const isUpgrade = !isOwn && asksForUpgrade(context);
  const { upgrade, "sec-websocket-protocol": subprotocols } = request.headers;
  if (isUpgrade) headers.push("Connection", "Upgrade", "Upgrade", upgrade!);
  else if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  if (isUpgrade && subprotocols) headers.push("Sec-WebSocket-Protocol", subprotocols);
  const socket = await connectTo(destination, core, signal);
  const path = destination.path ?? `${url.pathname}${url.search}`;
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ method, path, headers, signal, createConnection: () => socket });
    outgoing.once("response", (response) => resolve({ response }));
    outgoing.once("upgrade", (response, upgraded, head) =>
      resolve({ response, upgraded: { socket: upgraded, head } }),
    );
    outgoing.on("error", reject);
    if (isUpgrade || !request.incoming) outgoing.end();
    else passBody(request.incoming, outgoing);
  });
}

/** The parts of the server that connections to kubelets need: the clock of their time limit, and its certificate. */
type ConnectionContext = Pick<Core, "connect" | "connectionClock" | "servingCertificate">;

/** How long a connection may take to open: the limit of kube-apiserver's dialer. */
const connectMilliseconds = 30_000;

/** Opens a connection to a destination. Nothing of the request is sent before it is known not to lead back here. */
export async function connectTo(
  { url, place, tls: kubelets, isVerified = kubelets?.ca !== undefined }: Destination,
  { connect, connectionClock, servingCertificate }: ConnectionContext,
  signal: AbortSignal,
): Promise<Duplex> {
  const name = url.hostname.replaceAll(/[[\]]/gu, "");
  const isSecure = url.protocol === "https:";
  const { host, port } = place ?? { host: name, port: Number(url.port || (isSecure ? 443 : 80)) };
  const target = { host, port };
  const certificates = kubelets && {
    ...kubelets.client,
    // As in Go, any certificate in the bundle is trusted.
    ...(kubelets.ca !== undefined && { ca: kubelets.ca, allowPartialTrustChain: true }),
  };
  const limit = new AbortController();
  const giveUp = (): void => limit.abort(new Error(`dial tcp ${url.host}: i/o timeout`));
  const cancel = connectionClock.setTimer(giveUp, connectMilliseconds);
  const ended = AbortSignal.any([signal, limit.signal]);
  let socket: Duplex | undefined;
  try {
    const opening = (place ? place.connect : connect)?.(host, port);
    const given = opening && (await unlessAborted(opening, ended));
    socket = isSecure
      ? tls.connect({
          ...target,
          ...(given && { socket: given }),
          ...certificates,
          servername: net.isIP(name) === 0 ? name : "",
          ALPNProtocols: ["http/1.1"],
          rejectUnauthorized: isVerified,
        })
      : (given ?? net.connect(target));
    // Errors reject; once the connection is open, they are the request's.
    socket.on("error", () => undefined);
    if (isSecure || !given) await once(socket, isSecure ? "secureConnect" : "connect", { signal: ended });
    const shown = socket instanceof tls.TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined;
    if (kubelets && servingCertificate && shown?.equals(new X509Certificate(servingCertificate).raw))
      throw new Error("the address is the API server's own");
    return socket;
  } catch (error) {
    socket?.destroy();
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    cancel();
  }
}

/** Waits for a connection; one that is opened too late is closed. */
function unlessAborted(opening: Promise<Duplex>, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener("abort", fail, { once: true });
    opening.then((socket) => (signal.aborted ? socket.destroy() : resolve(socket)), reject);
  });
}

/**
 * Passes a body on. A destination may respond before it has read all of it; the rest is dropped, because many clients
 * read no response before they have sent everything.
 */
function passBody(body: http.IncomingMessage, outgoing: http.ClientRequest): void {
  body.pipe(outgoing);
  outgoing.once("close", () => body.unpipe(outgoing).resume());
}

/** Makes the reply of what a destination responded: joins the connections, or passes the body through. */
export function replyOf({ response, upgraded }: Forwarded): Reply {
  const { statusCode: code = 502, statusMessage = "", rawHeaders } = response;
  if (upgraded) {
    const lines = [`HTTP/1.1 ${code} ${statusMessage}`];
    for (let index = 0; index < rawHeaders.length; index += 2)
      lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
    const takeOver = (client: Duplex, head: Buffer): void => {
      client.write(`${lines.join("\r\n")}\r\n\r\n`);
      client.write(upgraded.head);
      upgraded.socket.write(head);
      joinStreams(client, upgraded.socket);
    };
    return { code, takeOver };
  }
  const isPassed = goesOn(response.headers);
  const headers = Object.entries(response.headers).filter(([name]) => isPassed(name));
  return {
    code,
    headers: Object.fromEntries(headers) as Record<string, string | string[]>,
    stream: (client) => pipeline(response, client),
  };
}
