import { Readable } from "node:stream";
import { setMaxListeners } from "node:events";
import type { ClusterConfig } from "@tsbuilder/runtime";
import type { InProcessCluster } from "@tsbuilder/cluster";
import { type CrashFault, type RefusalFault, refText } from "../contract/index.ts";
import { OutsideError } from "../globals/index.ts";
import { tokenOf } from "./base.ts";
import { streamTo } from "./container-commands.ts";
import { refusalAnswers } from "./refusal-answers.ts";
import type { Replica } from "./replica.ts";
import { WatchFeed, brokenConnection } from "./watch-feed.ts";
import type { World } from "./world.ts";

type Carrier = NonNullable<ClusterConfig["carry"]>;

type WireRequest = Parameters<Carrier>[0];

type CarryOptions = Parameters<Carrier>[1];

type Answer = Awaited<ReturnType<Carrier>>;

/** How long an attempt to connect takes that nobody answers. */
const connectTimeout = 10_000;

/** Connects one life of a process to the cluster. Once it is dead, nothing is answered any more. */
export function configOf(world: World, replica: Replica, life: number): ClusterConfig {
  const isAlive = (): boolean => replica.life === life;
  return {
    server: "http://cluster.simulation",
    credentials: { current: () => ({ token: tokenOf(replica.operator) }) },
    carry: (request, options) =>
      new Promise<Answer>((resolve, reject) => {
        if (!isAlive()) return;
        if (options.signal?.aborted) return reject(options.signal.reason as Error);
        const stream = streamTo(request.path);
        if (stream !== undefined)
          return reject(
            new OutsideError(
              `${stream} in a pod`,
              "give the scenario `exec`, or the manager's client a `wrap`",
            ),
          );
        const call = new AbortableCall(options.signal, reject);
        new Exchange(world, replica, request, options, isAlive).run().then(
          (answer) => answer && replica.run(() => isAlive() && resolve(call.end(answer))),
          (error: Error) => {
            world.lastEffort = world.loop.now;
            replica.run(() => isAlive() && reject(call.end(error)));
          },
        );
      }),
  };
}

/** A stream may be aborted before anybody reads it, and so hears of it. */
const unheard = (): void => {};

/** What a signal ends: a request until its answer is there, and the answer's stream until it is closed. */
class AbortableCall {
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #stream: Readable | undefined;

  constructor(signal: AbortSignal | undefined, reject: (reason: Error) => void) {
    this.#signal = signal;
    this.#onAbort = () => {
      const reason = signal?.reason as unknown;
      const error = reason instanceof Error ? reason : new Error("aborted");
      reject(error);
      this.#stream?.destroy(error);
    };
    if (!signal) return;
    // A reconcile may well make twenty requests at once, which is no leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The request has ended with an answer, or an error. */
  end<T extends Error | { readonly stream?: Readable | undefined }>(outcome: T): T {
    const forget = (): void => this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#stream = "stream" in outcome ? outcome.stream : undefined;
    if (!this.#stream) forget();
    else if (this.#signal?.aborted) this.#onAbort();
    else this.#stream.once("close", forget);
    this.#stream?.on("error", unheard);
    return outcome;
  }
}

/** One request with its answer, in one life of a process. */
class Exchange {
  readonly #world: World;
  readonly #replica: Replica;
  readonly #request: WireRequest;
  readonly #options: CarryOptions;
  readonly #kind: CallKind;
  readonly #isAlive: () => boolean;

  constructor(
    world: World,
    replica: Replica,
    request: WireRequest,
    options: CarryOptions,
    isAlive: () => boolean,
  ) {
    this.#world = world;
    this.#replica = replica;
    this.#request = request;
    this.#options = options;
    this.#kind = kindOf(request, options.stream);
    this.#isAlive = isAlive;
  }

  /** Resolves with nothing if the process died of it. */
  async run(): Promise<Answer | undefined> {
    const { faults } = this.#world;
    const { name } = this.#replica;
    const isOwn = this.#kind === "read" || this.#kind === "write";
    const crash = this.#kind === "write" ? faults.crashAt(name, ++this.#replica.writes) : undefined;
    if (this.#kind === "write") this.#world.writePoints.add(this.#point);
    const refusal = isOwn ? faults.refusalOf(name, ++this.#replica.requests) : undefined;
    if (crash?.when === "before") return this.#die(crash);
    if (refusal && !refusal.done) return this.#refuse(refusal);
    await this.#travel();
    const response = await this.#handle();
    if (crash?.when === "at") return this.#die(crash);
    if (refusal) return this.#refuse(refusal);
    if (this.#kind === "watch" && faults.isUnwatchable(name, this.#world.loop.now)) throw brokenConnection();
    const { status, headers, body } = response;
    if (response.stream) {
      await this.#travel();
      const feed = new WatchFeed(this.#world, this.#replica, this.#request.path, response.stream);
      if (!this.#isAlive()) feed.abandon();
      return { status, headers, text: "", bytes: undefined, stream: feed.stream };
    }
    if (this.#kind === "list" && status < 300) {
      await this.#travel();
      return { status, headers, text: "", bytes: undefined, stream: streamOf(body) };
    }
    this.#record(status);
    await this.#travel();
    if (crash) this.#world.loop.enqueue(() => this.#die(crash));
    return { status, headers, text: body.toString(), bytes: body.length, stream: undefined };
  }

  /** Unless something else has ended this life already. */
  #die(crash: CrashFault): undefined {
    if (!this.#isAlive()) return undefined;
    this.#world.note(crash);
    this.#world.diedAt.add(this.#point);
    this.#replica.die(crash);
    return undefined;
  }

  get #point(): string {
    return `${this.#replica.operator.name}: ${writePoint(this.#world.cluster, this.#request)}`;
  }

  async #handle() {
    const { method, path, headers, body } = this.#request;
    const { view } = this.#replica;
    const isOld = this.#kind === "list" && view !== undefined && !view.seen.has(bareOf(path));
    if (isOld) view.seen.add(bareOf(path));
    return this.#world.handle(this.#replica.name, {
      method,
      path: isOld ? asOf(path, view.revision) : path,
      headers,
      body,
    });
  }

  /** The way to the server, or back. */
  async #travel(): Promise<void> {
    const { loop, faults } = this.#world;
    await this.#world.wait(this.#replica.latency());
    const { name } = this.#replica;
    const isLeaseCut = this.#kind === "lease" && faults.isLeaseCut(name, loop.now);
    if (!isLeaseCut && !faults.isCut(name, loop.now)) return;
    await this.#world.wait(connectTimeout);
    throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
  }

  async #refuse(refusal: RefusalFault): Promise<Answer> {
    this.#world.note(refusal);
    if (refusal.with === "time-out") {
      await this.#world.wait(this.#options.timeout);
      this.#record(0);
      throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
    }
    await this.#travel();
    if (refusal.with === "reset") throw brokenConnection();
    const [status, reason, message, headers] = refusalAnswers[refusal.with];
    this.#record(status);
    const text = JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code: status,
      reason,
      message,
    });
    return { status, headers, text, bytes: text.length, stream: undefined };
  }

  #record(status: number): void {
    if (this.#kind === "lease" || this.#kind === "event") return;
    const { method, path, body } = this.#request;
    const { name: process } = this.#replica;
    if (status >= 400 && this.#kind === "write")
      this.#world.noteRefusal(`${process} ${method} ${path} ${body} ${status}`);
    const object = method === "GET" ? undefined : objectOf(this.#world.cluster, this.#request);
    this.#world.recorder.add({
      type: "request",
      process,
      method,
      path,
      body,
      ...(object !== undefined && { object }),
      status,
    });
  }
}

const resourcePath = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/([^?]+)/;

interface Write {
  readonly path: string;
  readonly body?: string | undefined;
}

/** The object that a request writes: `ConfigMap.v1 default/shop`. A new one is named by the body. */
function objectOf(cluster: InProcessCluster, { path, body = "{}" }: Write): string | undefined {
  const { apiVersion, kind, namespace, name: given } = targetOf(cluster, path);
  const name = given ?? (JSON.parse(body) as { metadata?: { name?: string } }).metadata?.name;
  if (kind === undefined || name === undefined) return undefined;
  return refText({ apiVersion, kind, namespace, name });
}

/** What a request does to which kind, whatever the object is called: `PATCH Shop/status`. */
function writePoint(
  cluster: InProcessCluster,
  { method, path }: Write & { readonly method: string },
): string {
  const { kind, subresource } = targetOf(cluster, path);
  return `${method} ${kind ?? path}${subresource === undefined ? "" : `/${subresource}`}`;
}

function targetOf({ core: { registry } }: InProcessCluster, path: string) {
  const [, group = "", version = "", rest = ""] = resourcePath.exec(path) ?? [];
  const parts = rest.split("/");
  const isWithin = parts[0] === "namespaces" && registry.find(group, parts[2] ?? "") !== undefined;
  const [plural = "", name, subresource] = isWithin ? parts.slice(2) : parts;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: registry.find(group, plural)?.kind,
    namespace: isWithin ? parts[1] : undefined,
    name,
    subresource,
  };
}

/** The part of a request that decides what it is. */
interface Call {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
}

/**
 * What a request is to a simulation: faults are aimed at reads and writes; leases and Events are no part of what an
 * operator does to its objects.
 */
type CallKind = "watch" | "list" | "read" | "write" | "lease" | "event";

const leases = /^\/apis\/coordination\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?leases(?:\/|$|\?)/;

const events = /^\/(?:api|apis\/events\.k8s\.io)\/[^/]+\/(?:namespaces\/[^/]+\/)?events(?:\/|$|\?)/;

export function kindOf({ method, path }: Call, isStream: boolean): CallKind {
  if (leases.test(path)) return "lease";
  if (method !== "GET") return events.test(path) ? "event" : "write";
  if (!isStream) return "read";
  return /[?&]watch=(?:true|1)/.test(path) ? "watch" : "list";
}

/** The same list as it was at an earlier revision. */
function asOf(path: string, revision: number): string {
  const [bare = "", query = ""] = path.split("?");
  const parameters = new URLSearchParams(query);
  for (const name of ["limit", "continue", "resourceVersion", "resourceVersionMatch"])
    parameters.delete(name);
  parameters.set("resourceVersion", String(revision));
  parameters.set("resourceVersionMatch", "Exact");
  return `${bare}?${parameters.toString()}`;
}

/** An iterator would make four promises of it. */
function streamOf(body: Buffer): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(body);
  stream.push(null);
  return stream;
}

function bareOf(path: string): string {
  return path.split("?")[0]!;
}
