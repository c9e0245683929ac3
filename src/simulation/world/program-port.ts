// The port of this machine at which an operator with a process of its own reaches the cluster of a run. Its requests become calls as those
// of code in this process are, and meet the same faults.

import { type IncomingMessage, type ServerResponse, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { decodeProtobuf } from "@tsbuilder/cluster/testing";
import { leaderAnnotation, tokenOf } from "./base.ts";
import { type CallKind, callKind, Exchange, withoutQuery } from "./network.ts";
import { type Replica, resourceIn } from "./replica.ts";
import type { World } from "./world.ts";

interface PortOptions {
  /** Returns false once the life of the process is over. */
  readonly isAlive: () => boolean;
  /** Is called when the process opens a watch, with its resource, such as `shops`. */
  readonly onWatch: (resource: string) => void;
}

/** Virtual milliseconds until a client takes a connection for broken on which no answer comes. */
const patience = 30_000;

/** Serves the cluster of a run to one life of a process, on the loopback interface. */
export class ProgramPort {
  readonly #world: World;
  readonly #replica: Replica;
  readonly #options: PortOptions;
  readonly #server: Server;
  /** The reads since the last change: who reads the same again only polls. */
  readonly #reads = new Set<string>();
  #change = -1;
  readonly #locks = new Set<string>();

  private constructor(world: World, replica: Replica, options: PortOptions) {
    this.#world = world;
    this.#replica = replica;
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // Clients keep connections for their whole life.
    this.#server.keepAliveTimeout = 0;
  }

  static async open(world: World, replica: Replica, options: PortOptions): Promise<ProgramPort> {
    const port = new ProgramPort(world, replica, options);
    await new Promise<void>((resolve) => {
      port.#server.listen(0, "127.0.0.1", resolve);
    });
    return port;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/" } = request;
    const activity = this.#world.activity!;
    const name = `${method} ${withoutQuery(path)}`;
    let isNoted = true;
    try {
      const headers = headersOf(request, tokenOf(this.#replica.operator));
      const wire = { method, path, headers, body: await bodyOf(request, headers) };
      const kind = this.#isLock(wire) ? "lease" : kindOf(method, path);
      isNoted = kind !== "lease" && !streams.test(path);
      const isWork = isNoted && kind !== "watch" && !this.#isPoll(kind, path);
      if (isWork) activity.touch();
      const call = { request: wire, kind, timeout: patience, isAlive: this.#options.isAlive };
      const answer = await new Exchange(this.#world, this.#replica, call).run();
      if (!answer || !this.#options.isAlive()) return void response.destroy();
      if (isWork) activity.touch();
      if (isNoted) activity.noteEnd(name, answer.status >= 400 && answer.status !== 404);
      response.writeHead(answer.status, plainHeaders(answer.headers));
      if (!answer.stream) return void response.end(answer.text);
      if (kind === "watch") {
        response.flushHeaders();
        this.#options.onWatch(resourceIn(withoutQuery(path)));
        answer.stream.on("data", () => activity.touch());
      }
      answer.stream.on("error", () => {
        activity.touch();
        response.destroy();
      });
      response.on("close", () => answer.stream!.destroy());
      answer.stream.pipe(response);
    } catch {
      // No connection, or one that broke: so says the fault.
      if (isNoted) activity.noteEnd(name, true);
      response.destroy();
    }
  }

  /** Returns whether a request is about a ConfigMap or Endpoints that serve as a Lease. */
  #isLock({ path, body }: { readonly path: string; readonly body: string | undefined }): boolean {
    if (body?.includes(leaderAnnotation)) this.#locks.add(withoutQuery(path));
    return this.#locks.has(withoutQuery(path));
  }

  /** Returns whether a request reads what the process has read since the last change. */
  #isPoll(kind: CallKind, path: string): boolean {
    if (kind !== "read" && kind !== "list") return false;
    if (this.#change !== this.#world.changeNumber) this.#reads.clear();
    this.#change = this.#world.changeNumber;
    if (this.#reads.has(path)) return true;
    this.#reads.add(path);
    return false;
  }
}

/** Streams to containers, of which a run has none. */
const streams = /\/pods\/[^/]+\/(?:attach|exec|portforward)(?:\?|$)/u;

/** Requests by which clients find out what the cluster has, and what they may do: none of them is an operator's work. */
const preparation =
  /^\/(?:api|apis|openapi|version|healthz|readyz|livez)(?:\/v1)?\/?(?:\?|$)|^\/(?:openapi|apis\/(?:authentication|authorization)\.k8s\.io|apis\/[^/]+(?:\/[^/]+)?\/?(?:\?|$))/u;

/** The path of one object, or of its subresource. */
const objectPath =
  /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/[^/]+\/[^/?]+|(?!namespaces\/)[^/]+\/[^/?]+|namespaces\/[^/?]+(?:\/(?:status|finalize))?(?:\?|$))/u;

function kindOf(method: string, path: string): CallKind {
  if (preparation.test(path) || streams.test(path)) return "list";
  return callKind({ method, path }, method === "GET" && !objectPath.test(path));
}

/** Returns the headers of a request with the credentials of the operator, as one that reads JSON only. */
function headersOf({ headers }: IncomingMessage, token: string): { [name: string]: string } {
  const kept: { [name: string]: string } = {};
  for (const name of ["content-type", "user-agent", "accept", "traceparent"]) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  const accepted = (kept["accept"] ?? "").split(",").filter((type) => !/protobuf|cbor/u.test(type));
  return { ...kept, accept: accepted.join(",") || "application/json", authorization: `Bearer ${token}` };
}

/** Reads a body. Clients in Go write Kubernetes' own kinds as protobuf, which becomes JSON here. */
async function bodyOf(
  request: IncomingMessage,
  headers: { [name: string]: string },
): Promise<string | undefined> {
  const bytes = await buffer(request);
  if (bytes.length === 0) return undefined;
  if (!headers["content-type"]?.includes("protobuf")) return bytes.toString();
  headers["content-type"] = "application/json";
  return JSON.stringify(await decodeProtobuf(bytes));
}

/** Returns the headers of an answer, without those that say how the bytes were sent. */
function plainHeaders(headers: { readonly [name: string]: string | readonly string[] | undefined }) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^(?:content-length|transfer-encoding|connection|content-encoding)$/iu.test(name)
        ? []
        : [[name, value as string]],
    ),
  );
}
