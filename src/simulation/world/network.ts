import { Readable } from "node:stream";
import type { ClusterConfig } from "@tsbuilder/runtime";
import type { CrashFault, RefusalFault } from "../contract/index.ts";
import { OutsideError } from "../globals/index.ts";
import { AbortableCall } from "./abortable-call.ts";
import { tokenOf } from "./base.ts";
import { asOf, type CallKind, kindOf } from "./call-kind.ts";
import { objectOf, writePoint } from "./object-of.ts";
import { streamTo } from "./container-commands.ts";
import { refusalAnswers } from "./refusal-answers.ts";
import type { Replica } from "./replica.ts";
import { brokenConnection, WatchFeed } from "./watch-feed.ts";
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
