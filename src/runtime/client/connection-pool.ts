import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import type { ClusterConfig, Credential } from "./config.ts";
import { openTunnel } from "./proxy-tunnel.ts";
import { ReloadedFile } from "./reloaded-file.ts";

/** The connections to one server: kept alive, shared, and replaced when the certificates change. */
export class ConnectionPool {
  readonly #config: ClusterConfig;
  readonly #maxConnections: number;
  readonly #caFile: ReloadedFile | undefined;
  #agents: { material: string; requests: http.Agent; streams: http.Agent } | undefined;

  constructor(config: ClusterConfig, maxConnections: number) {
    this.#config = config;
    this.#maxConnections = maxConnections;
    this.#caFile = config.ca === undefined && config.caFile ? new ReloadedFile(config.caFile) : undefined;
  }

  /** The agent for a request. Streams stay open for minutes, so they must not use up the requests' places. */
  agent({ stream, credential, refresh }: AgentRequest): http.Agent {
    const ca = this.#config.ca ?? this.#caFile?.read({ refresh });
    const material = `${ca}\n${credential.cert}\n${credential.key}`;
    if (this.#agents?.material !== material) {
      retire(this.#agents);
      this.#agents = { material, ...this.#create(ca, credential) };
    }
    return stream ? this.#agents.streams : this.#agents.requests;
  }

  /** Closes all connections, those in use too. */
  close(): void {
    this.#agents?.requests.destroy();
    this.#agents?.streams.destroy();
    this.#agents = undefined;
  }

  #create(ca: string | undefined, { cert, key }: Credential): { requests: http.Agent; streams: http.Agent } {
    const secure = this.#config.server.startsWith("https:");
    const shared: https.AgentOptions = { keepAlive: true, keepAliveMsecs: 30_000, noDelay: true };
    if (secure) {
      const { tlsServerName, insecureSkipTlsVerify } = this.#config;
      Object.assign(shared, {
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
        ...(tlsServerName !== undefined && nameOptions(tlsServerName)),
        ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
      });
    }
    const Agent = secure ? https.Agent : http.Agent;
    const { proxyUrl } = this.#config;
    const make = (options: https.AgentOptions): http.Agent => {
      const agent = new Agent({ ...shared, ...options });
      // Node tells servers apart by a text that holds all certificates, for every request; here is only one.
      agent.getName = () => "server";
      return proxyUrl === undefined ? agent : throughProxy(agent, proxyUrl, secure);
    };
    return {
      // An idle connection is closed before the server or a load balancer would do it in the middle of a request.
      requests: make({ maxSockets: this.#maxConnections, maxFreeSockets: 16, timeout: 55_000 }),
      streams: make({ maxFreeSockets: 4 }),
    };
  }
}

/** TLS can't ask for an address by name, but a certificate may be for one. */
function nameOptions(name: string): https.AgentOptions {
  if (net.isIP(name) === 0) return { servername: name };
  return { servername: "", checkServerIdentity: (_, cert) => tls.checkServerIdentity(name, cert) };
}

/** What a connection is for. */
export interface AgentRequest {
  readonly stream: boolean;
  readonly credential: Credential;
  /** Read the authority's file again, whatever its age. */
  readonly refresh: boolean;
}

type Connect = (
  options: tls.ConnectionOptions & { host: string; port: number },
  done: (error: Error | null, socket?: net.Socket) => void,
) => void;

/** Makes an agent open its connections through a proxy. Node calls back once a connection stands. */
function throughProxy(agent: http.Agent, proxyUrl: string, secure: boolean): http.Agent {
  const createConnection: Connect = (options, done) => {
    openTunnel(proxyUrl, options.host, options.port).then(
      (socket) => done(null, secure ? tls.connect({ ...options, socket }) : socket),
      (error: unknown) => done(error as Error),
    );
  };
  return Object.assign(agent, { createConnection });
}

/** Lets requests under way finish on the old connections. */
function retire(agents: { requests: http.Agent; streams: http.Agent } | undefined): void {
  for (const agent of [agents?.requests, agents?.streams]) {
    for (const sockets of Object.values(agent?.freeSockets ?? {}))
      sockets?.forEach((socket) => socket.destroy());
  }
}
