import { setMaxListeners } from "node:events";
import { Readable } from "node:stream";
import type { InProcessCluster } from "@tsbuilder/cluster";
import { type Client, type ClusterConfig, interceptClient, Manager } from "@tsbuilder/runtime";
import { type CrashFault, isElected, type RefusalFault, refText } from "../contract/index.ts";
import { OutsideError } from "../globals/environment.ts";
import { operatorNamespace, tokenOf } from "./base.ts";
import { refusalAnswers } from "./fault-plan.ts";
import { type Feed, type Life, type Replica, resourceIn, type RunningLife } from "./replica.ts";
import type { World } from "./world.ts";

/** Begins one life of a process. Its requests go through the simulated network, and meet the faults of the run. */
export function managerLife(world: World, replica: Replica, life: Life): RunningLife {
  const { operator } = replica;
  const release = world.faults.releaseOf(operator, world.loop.now);
  const { setup } = (release !== "present" && operator[release]) || operator;
  const manager = managerOf(world, replica, life);
  return {
    get isIdle() {
      return manager.isIdle;
    },
    start: async () => {
      await setup(manager);
      await manager.start();
    },
    stop: () => manager.stop(),
  };
}

function managerOf(world: World, replica: Replica, life: Life): Manager {
  const { operator } = replica;
  const { name, sharding, manager: options } = operator;
  const lease = { id: `${name}.simulation`, namespace: operatorNamespace };
  // The operator's own stand-ins come first.
  const wrap = (client: Client): Client => {
    const answered = world.external.answersCommands
      ? answerCommands(client, world, replica, life.number)
      : client;
    const own = options?.client?.wrap?.(answered) ?? answered;
    return world.recorder.witness?.watchClient(own) ?? own;
  };
  return new Manager({
    name,
    ...options,
    config: clusterConfigOf(world, replica, life.number),
    clock: life.clock,
    logger: world.recorder.logger(replica.name),
    blockedAfter: "0s",
    client: { ...options?.client, wrap },
    webhooks: {
      ...options?.webhooks,
      carry: (served) => {
        if (replica.life === life.number) replica.webhooks = served;
      },
    },
    ownsProcess: false,
    ...(life.isBehind && { cache: { ...options?.cache, watchList: false } }),
    ...(isElected(operator) && { leaderElection: { ...lease, identity: replica.name } }),
    ...(sharding && { sharding: { ...lease, by: sharding } }),
  });
}

/** Answers a client's commands in containers by a stand-in, in one life of a process. */
function answerCommands(client: Client, world: World, replica: Replica, life: number): Client {
  return interceptClient(client, {
    exec: ({ args }) => {
      if (replica.life !== life) return new Promise(() => {});
      const [ref, command, options = {}] = args as unknown as Parameters<Client["exec"]>;
      const { namespace, name: pod } = "metadata" in ref ? ref.metadata : ref;
      return world.external.exec(replica, { namespace, pod, command, options });
    },
  });
}

type Carrier = NonNullable<ClusterConfig["carry"]>;
type Answer = Awaited<ReturnType<Carrier>>;

/** Requests that open a stream to a container; a simulation has none. */
const streamPath = /\/pods\/[^/]+\/(attach|exec|portforward)(?:\?|$)/;

/** Connects one life of a process to the cluster. Once that life is over, no request of it gets an answer. */
function clusterConfigOf(world: World, replica: Replica, life: number): ClusterConfig {
  const isAlive = (): boolean => replica.life === life;
  return {
    server: "http://cluster.simulation",
    credentials: { current: () => ({ token: tokenOf(replica.operator) }) },
    carry: (request, options) =>
      new Promise<Answer>((resolve, reject) => {
        if (!isAlive()) return;
        if (options.signal?.aborted) return reject(options.signal.reason as Error);
        const stream = streamPath.exec(request.path)?.[1];
        if (stream !== undefined)
          return reject(
            new OutsideError(
              `${stream} in a pod`,
              "give the scenario `external` with `exec`, or the manager's client a `wrap`",
            ),
          );
        const call = new AbortableCall(options.signal, reject);
        const kind = callKind(request, options.stream);
        new Exchange(world, replica, { request, kind, timeout: options.timeout, isAlive }).run().then(
          (answer) => answer && replica.run(() => isAlive() && resolve(call.end(answer))),
          (error: Error) => {
            world.lastEffort = world.loop.now;
            replica.run(() => isAlive() && reject(call.end(error)));
          },
        );
      }),
  };
}

/** Ends a request when its signal is aborted: until the answer is there, and a streamed answer until it is closed. */
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
    // A reconcile may well make twenty requests at once; Node would warn of a leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Ends the call with an answer or an error, which it returns. A streamed answer stays abortable. */
  end<T extends Error | { readonly stream?: Readable | undefined }>(outcome: T): T {
    const forget = (): void => this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#stream = "stream" in outcome ? outcome.stream : undefined;
    if (!this.#stream) forget();
    else if (this.#signal?.aborted) this.#onAbort();
    else this.#stream.once("close", forget);
    this.#stream?.on("error", ignore);
    return outcome;
  }
}

/** Ignores the error of a stream that is aborted before anybody reads it; without a listener, the process would end. */
const ignore = (): void => {};

type WireRequest = Pick<Parameters<Carrier>[0], "method" | "path" | "headers" | "body">;

/** A request of one life of a process. */
export interface Call {
  readonly request: WireRequest;
  readonly kind: CallKind;
  /** Milliseconds until the process gives it up. */
  readonly timeout: number;
  /** Returns false once that life is over. */
  readonly isAlive: () => boolean;
}

/** One request of a process, and its answer. */
export class Exchange {
  readonly #world: World;
  readonly #replica: Replica;
  readonly #request: WireRequest;
  readonly #timeout: number;
  readonly #kind: CallKind;
  readonly #isAlive: () => boolean;

  constructor(world: World, replica: Replica, { request, kind, timeout, isAlive }: Call) {
    this.#world = world;
    this.#replica = replica;
    this.#request = request;
    this.#timeout = timeout;
    this.#kind = kind;
    this.#isAlive = isAlive;
  }

  /** Carries the request to the server, and the answer back. Resolves with undefined if a fault kills the process. */
  async run(): Promise<Answer | undefined> {
    const { faults } = this.#world;
    const { name } = this.#replica;
    const isCounted = this.#kind === "read" || this.#kind === "write";
    const crash = this.#kind === "write" ? this.#crash() : undefined;
    if (this.#kind === "write") this.#world.writePoints.add(this.#point);
    const refusal = isCounted
      ? faults.refusalOf(name, ++this.#replica.requests, this.#requestKind, this.#world.loop.now)
      : undefined;
    if (crash?.when === "before") return this.#die(crash);
    if (refusal && !refusal.done) return this.#refuse(refusal);
    await this.#travel();
    const response = await this.#handle();
    if (crash?.when === "at") return this.#die(crash);
    if (refusal) return this.#refuse(refusal);
    if (this.#kind === "watch" && faults.isUnder("break", name, this.#world.loop.now))
      throw brokenConnection();
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

  #crash(): CrashFault | undefined {
    const kind = this.#requestKind;
    const number = this.#replica.countWrite(kind);
    return this.#world.faults.crashAt(this.#replica.name, this.#replica.writes, { kind, number });
  }

  /** Kills the process, unless something else has done so already. */
  #die(crash: CrashFault): undefined {
    if (this.#isAlive()) this.#replica.dieAt(crash, this.#point);
    return undefined;
  }

  get #point(): string {
    return `${this.#replica.operator.name}: ${this.#requestKind}`;
  }

  /** The kind of the request, without the object's name: `PATCH Shop/status`. */
  get #requestKind(): string {
    const { method, path } = this.#request;
    const { kind, subresource } = targetOf(this.#world.cluster, path);
    return `${method} ${kind ?? path}${subresource === undefined ? "" : `/${subresource}`}`;
  }

  /** Has the server handle the request. A process with an old view gets the first answer of each list from that view. */
  async #handle() {
    const { method, path, headers, body } = this.#request;
    const revision = this.#kind === "list" ? this.#replica.takeOldRevision(withoutQuery(path)) : undefined;
    return this.#world[handlers[this.#kind]](this.#replica.name, {
      method,
      path: revision === undefined ? path : pathAtRevision(path, revision),
      headers,
      body,
    });
  }

  /** Waits as long as a message takes to the server, or back. Throws if the process is cut off. */
  async #travel(): Promise<void> {
    if (await this.#replica.travel(this.#kind === "lease")) return;
    throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
  }

  /** Answers with a refusal, or throws as a connection without an answer does. */
  async #refuse(refusal: RefusalFault): Promise<Answer> {
    if ("request" in refusal) this.#world.note(refusal);
    if (refusal.with === "time-out") {
      await this.#world.loop.wait(this.#timeout);
      this.#record(0);
      throw Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
    }
    await this.#travel();
    if (refusal.with === "reset") throw brokenConnection();
    const [status, reason, message, headers] = refusalAnswers[refusal.with];
    this.#record(status);
    const failure = { kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message };
    const text = JSON.stringify(failure);
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
      kind: this.#requestKind,
      body,
      ...(object !== undefined && { object }),
      status,
    });
  }
}

/** Returns the object that a request writes: `ConfigMap.v1 default/shop`. The name of a new one is in the body. */
function objectOf(cluster: InProcessCluster, { path, body = "{}" }: WireRequest): string | undefined {
  const { apiVersion, kind, namespace, name: pathName } = targetOf(cluster, path);
  const name = pathName ?? (JSON.parse(body) as { metadata?: { name?: string } }).metadata?.name;
  if (kind === undefined || name === undefined) return undefined;
  return refText({ apiVersion, kind, namespace, name });
}

const resourcePath = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/([^?]+)/;

/** Returns the object or collection that the path of a request names. */
function targetOf({ core: { registry } }: InProcessCluster, path: string) {
  const [, group = "", version = "", rest = ""] = resourcePath.exec(path) ?? [];
  const parts = rest.split("/");
  const isNamespaced = parts[0] === "namespaces" && registry.find(group, parts[2] ?? "") !== undefined;
  const [plural = "", name, subresource] = isNamespaced ? parts.slice(2) : parts;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: registry.find(group, plural)?.kind,
    namespace: isNamespaced ? parts[1] : undefined,
    name,
    subresource,
  };
}

/** The kind of a request. Faults are aimed at reads and writes only: leases and Events are not the operator's work. */
export type CallKind = "watch" | "list" | "read" | "write" | "lease" | "event";

/** The methods of the world that answer the requests. */
const handlers = {
  watch: "handle",
  list: "handle",
  read: "handleOrRefuse",
  write: "handleOrRefuse",
  lease: "handle",
  event: "handleEvent",
} as const satisfies { readonly [kind in CallKind]: keyof World };

const leasePath = /^\/apis\/coordination\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?leases(?:\/|$|\?)/;
const eventPath = /^\/(?:api|apis\/events\.k8s\.io)\/[^/]+\/(?:namespaces\/[^/]+\/)?events(?:\/|$|\?)/;

/** Returns the kind of a request, by its path. */
export function callKind(request: Pick<WireRequest, "method" | "path">, isStream: boolean): CallKind {
  const { method, path } = request;
  if (leasePath.test(path)) return "lease";
  if (method !== "GET") return eventPath.test(path) ? "event" : "write";
  if (!isStream) return "read";
  return /[?&]watch=(?:true|1)/.test(path) ? "watch" : "list";
}

/** Returns the path of the same list at an earlier revision. */
function pathAtRevision(path: string, revision: number): string {
  const [bare = "", query = ""] = path.split("?");
  const parameters = new URLSearchParams(query);
  for (const name of ["limit", "continue", "resourceVersion", "resourceVersionMatch"])
    parameters.delete(name);
  parameters.set("resourceVersion", String(revision));
  parameters.set("resourceVersionMatch", "Exact");
  return `${bare}?${parameters.toString()}`;
}

/** Makes a stream of one chunk. `Readable.from()` would take four promises for it. */
function streamOf(body: Buffer): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(body);
  stream.push(null);
  return stream;
}

export function withoutQuery(path: string): string {
  return path.split("?")[0]!;
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly namespace?: string; readonly name?: string } };
}

/** Brings the events of a watch to a process: in order, each after a delay; those that were sent in one chunk arrive together. */
export class WatchFeed implements Feed {
  readonly stream: Readable;
  readonly #world: World;
  readonly #replica: Replica;
  readonly #path: string;
  readonly #resource: string;
  readonly #source: Readable;
  readonly #timers = new Set<() => void>();
  /** Deliveries under way, in order. Each timer delivers the first, since timers for one moment may fire in any order. */
  readonly #underWay: Array<() => void> = [];
  /** The time at which the last delivery arrives. */
  #lastArrival = 0;
  /** The beginning of a line that has not ended yet. */
  #rest = "";

  constructor(world: World, replica: Replica, path: string, source: Readable) {
    this.#world = world;
    this.#replica = replica;
    this.#path = withoutQuery(path);
    this.#resource = resourceIn(this.#path);
    this.#source = source;
    this.stream = new Readable({
      read: () => {},
      destroy: (error, done) => {
        this.abandon();
        done(error);
      },
    });
    replica.feeds.add(this);
    source.on("data", (chunk: Buffer) => this.#take(chunk.toString("utf8")));
    source.on("end", () => this.#schedule(() => this.stream.push(null)));
    source.on("error", () => this.break());
  }

  break(): void {
    this.abandon();
    this.#replica.run(() => this.stream.destroy(brokenConnection()));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    if (lines.length === 0) return;
    this.#schedule(() => {
      for (const line of lines) this.#record(line);
      this.stream.push(Buffer.from(`${lines.join("\n")}\n`));
    });
  }

  #record(line: string): void {
    const { type, object } = JSON.parse(line) as WatchEvent;
    if (type === "BOOKMARK") return;
    const { namespace, name = "" } = object.metadata ?? {};
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    this.#world.recorder.add({
      type: "watch",
      process: this.#replica.name,
      path: this.#path,
      event: type,
      key,
    });
  }

  #schedule(deliver: () => void): void {
    const { loop } = this.#world;
    const held = this.#replica.heldUntil(this.#resource);
    this.#lastArrival = Math.max(this.#lastArrival, held, loop.now + this.#replica.lag());
    this.#underWay.push(deliver);
    loop.messages++;
    const cancel = loop.after(this.#lastArrival - loop.now, () => {
      loop.messages--;
      this.#timers.delete(cancel);
      this.#replica.run(this.#underWay.shift()!);
    });
    this.#timers.add(cancel);
  }

  /** Ends the watch: what is under way doesn't arrive, and the server closes its side. The process isn't told. */
  abandon(): void {
    this.#world.loop.messages -= this.#timers.size;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#replica.feeds.delete(this);
    this.#source.destroy();
  }
}

function brokenConnection(): Error {
  return Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
}
