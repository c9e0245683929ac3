import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { KubeletTLS } from "../../contract/kubelet-tls.ts";
import { joinStreams } from "../../http/join-streams.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";

/** Where a request is passed on to. */
export interface Destination {
  readonly url: URL;
  /** True if the destination gets a request of the server's own, without the client's headers. */
  readonly isOwn?: boolean;
  /** Absent for what is not a kubelet: its certificate is not verified. */
  readonly tls?: KubeletTLS | undefined;
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

/** Headers that are about one connection, or let the client in here. */
const ownHeaders =
  /^(?:authorization|connection|impersonate-.*|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/iu;

/** Passes a request on with its body, and returns the response as soon as its headers have arrived. */
export function forward(context: RequestContext, { url, tls, isOwn }: Destination): Promise<Forwarded> {
  const { request, method, signal } = context;
  const raw = isOwn ? [] : request.rawHeaders;
  const headers = isOwn ? ["Host", url.host] : [];
  for (let index = 0; index < raw.length; index += 2)
    if (!ownHeaders.test(raw[index]!)) headers.push(raw[index]!, raw[index + 1]!);
  const isUpgrade = asksForUpgrade(context);
  if (isUpgrade) headers.push("Connection", "Upgrade", "Upgrade", request.headers.upgrade!);
  else if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  const certificates = tls && { ...tls.client, ...(tls.ca !== undefined && { ca: tls.ca }) };
  const options = {
    method,
    headers,
    agent: false,
    signal,
    ...certificates,
    rejectUnauthorized: tls?.ca !== undefined,
  };
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === "https:" ? https : http).request(url, options);
    outgoing.once("response", (response) => resolve({ response }));
    outgoing.once("upgrade", (response, socket, head) => resolve({ response, upgraded: { socket, head } }));
    outgoing.once("error", reject);
    if (isUpgrade || !request.incoming) outgoing.end();
    else pipeline(request.incoming, outgoing).catch(reject);
  });
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
  const headers = Object.entries(response.headers).filter(([name]) => !ownHeaders.test(name));
  return {
    code,
    headers: Object.fromEntries(headers) as Record<string, string | string[]>,
    stream: (client) => pipeline(response, client),
  };
}
