import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { createSecureContext } from "node:tls";
import type { Kubeconfig } from "../auth/credentials.ts";

/** A request of a test. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, other values as JSON. */
  readonly body?: unknown;
}

/** A whole response. */
export interface ReceivedResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** Sends a request with the credentials of a kubeconfig, and waits for the whole response. */
export function send(kubeconfig: Kubeconfig, sent: SentRequest): Promise<ReceivedResponse> {
  const { cluster } = kubeconfig.clusters[0];
  const { user } = kubeconfig.users[0];
  const { body, method, path } = sent;
  const isRaw = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
  const payload = isRaw ? body : JSON.stringify(body);
  const headers = {
    ...(payload !== undefined && {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(payload),
    }),
    ...(user.token && { Authorization: `Bearer ${user.token}` }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(cluster.server);
    const call = request(
      { host: hostname, port, path, method, headers, agent: agentFor(kubeconfig) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          const code = response.statusCode ?? 0;
          resolve({ code, headers: response.headers, bytes, text, body: parseJSON(text) });
        });
      },
    );
    call.on("error", reject);
    call.end(payload);
  });
}

const agents = new WeakMap<Kubeconfig, Agent>();

/** Returns the agent of a kubeconfig, which reuses connections. */
export function agentFor(kubeconfig: Kubeconfig): Agent {
  let agent = agents.get(kubeconfig);
  if (!agent) {
    const { "certificate-authority-data": ca } = kubeconfig.clusters[0].cluster;
    const { "client-certificate-data": cert, "client-key-data": key } = kubeconfig.users[0].user;
    // One context for all connections: parsing the certificates for each takes as long as most requests.
    const secureContext = createSecureContext({
      ...(ca && { ca: decode(ca) }),
      ...(cert && { cert: decode(cert) }),
      ...(key && { key: decode(key) }),
    });
    agent = new Agent({ keepAlive: true, secureContext, rejectUnauthorized: ca !== undefined });
    agents.set(kubeconfig, agent);
  }
  return agent;
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
