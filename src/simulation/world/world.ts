import { generateKeyPairSync } from "node:crypto";
import { type InProcessCluster, type InProcessOptions, startInProcess } from "@tsbuilder/cluster";
import { type KubernetesObject, changedFields } from "@tsbuilder/apimachinery/meta";
import { shardClaims } from "@tsbuilder/runtime/testing";
import type { Logger } from "@tsbuilder/runtime";
import type { Fault, LeftOut, RefusalFault, Scenario, TraceEvent } from "../contract/index.ts";
import { type Environment, environment, inside } from "../globals/index.ts";
import { Random } from "../random/index.ts";
import { type Base, tokensOf, userToken } from "./base.ts";
import { EventLoop } from "./event-loop.ts";
import { FaultPlan, faultText } from "./fault-plan.ts";
import { ProcessClock } from "./process-clock.ts";
import { Replica } from "./replica.ts";
import { callWebhook } from "./webhook-call.ts";
import { refusalAnswers } from "./refusal-answers.ts";

type Entry = TraceEvent extends infer One ? (One extends unknown ? Omit<One, "at"> : never) : never;

/** Writes the trace, with the virtual time of each event. */
class Recorder {
  readonly trace: TraceEvent[] = [];
  readonly #loop: EventLoop;
  #isClosed = false;
  /** When a process last logged an error: it will try again. */
  lastError = 0;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  add(entry: Entry): void {
    if (this.#isClosed) return;
    // Microseconds are enough to tell events apart, and sums of fractions don't show.
    this.trace.push({ at: Math.round(this.#loop.now * 1000) / 1000, ...entry });
  }

  /** Nothing that happens from now on is part of the trace. */
  close(): void {
    this.#isClosed = true;
  }

  /** The logger of a process: warnings and errors are part of the trace. */
  logger(process: string, object?: string): Logger {
    const write = (
      level: "warn" | "error",
      message: string,
      fields: { readonly [name: string]: unknown } = {},
    ): void => {
      const { error } = fields;
      const about = object ?? keyIn(fields);
      if (level === "error") this.lastError = this.#loop.now;
      this.add({
        type: "log",
        process,
        level,
        message,
        ...(error !== undefined && { error: error instanceof Error ? error.message : JSON.stringify(error) }),
        ...(about !== undefined && { object: about }),
      });
    };
    return {
      debug: () => {},
      info: () => {},
      warn: (message, fields) => write("warn", message, fields),
      error: (message, fields) => write("error", message, fields),
      with: (fields) => this.logger(process, object ?? keyIn(fields)),
      isEnabled: (level) => level === "warn" || level === "error",
    };
  }
}

function keyIn({ namespace, name }: { readonly [name: string]: unknown }): string | undefined {
  return typeof name === "string"
    ? `${typeof namespace === "string" ? `${namespace}/` : ""}${name}`
    : undefined;
}

/** Keeps what only the cluster's own controllers wrote. */
class DerivedObjects {
  /** Uids of objects. */
  readonly #objects = new Set<string>();
  /** Uids of objects whose status they wrote last. */
  readonly #statuses = new Set<string>();

  note(by: string, uid: string, { isNew, fields }: { isNew: boolean; fields: readonly string[] }): void {
    if (by !== "cluster") this.#objects.delete(uid);
    else if (isNew) this.#objects.add(uid);
    if (!fields.some((field) => field.startsWith("status"))) return;
    if (by === "cluster") this.#statuses.add(uid);
    else this.#statuses.delete(uid);
  }

  /** Which of these objects they are. */
  among(objects: readonly KubernetesObject[]): LeftOut {
    const chosen = (uids: ReadonlySet<string>): Set<KubernetesObject> =>
      new Set(objects.filter(({ metadata }) => uids.has(metadata.uid ?? "")));
    return { objects: chosen(this.#objects), statuses: chosen(this.#statuses) };
  }
}

/** Counts the changes that processes make. */
class ChangeCount {
  readonly #objects = new Map<string, number>();
  all = 0;
  /** Of the object that they changed most often. */
  ofOneObject = 0;

  /** Objects with generated names count as one: their number may be what has no end. */
  add(resource: string, { metadata: { namespace = "", name = "", generateName } }: KubernetesObject): void {
    const key = `${resource} ${namespace}/${generateName ?? name}`;
    const count = (this.#objects.get(key) ?? 0) + 1;
    this.#objects.set(key, count);
    this.ofOneObject = Math.max(this.ofOneObject, count);
    this.all++;
  }

  clear(): void {
    this.#objects.clear();
    this.all = 0;
    this.ofOneObject = 0;
  }
}

/** So often the same attempt may fail until it is clear that it always will. */
const most = 3;

/** Counts the attempts of processes that failed since anything last changed. */
class Refusals {
  readonly #counts = new Map<string, number>();

  /** Returns whether the next such attempt may still succeed. */
  add(attempt: string): boolean {
    const count = (this.#counts.get(attempt) ?? 0) + 1;
    this.#counts.set(attempt, count);
    return count <= most;
  }

  clear(): void {
    this.#counts.clear();
  }
}

type PlainRequest = Parameters<InProcessCluster["handle"]>[0];

type PlainResponse = Awaited<ReturnType<InProcessCluster["handle"]>>;

/** Signs tokens that nobody compares; making a key takes longer than starting a cluster. */
const serviceAccountKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  type: "pkcs8",
  format: "pem",
}) as string;

/** Without these controllers, deletions would not come to an end. */
const always = ["garbagecollector", "namespace"] as const;

/** Collections that no comparison looks at: what an operator does besides its work, and what the cluster derives. */
const aside = new Set([
  "leases.coordination.k8s.io",
  "events",
  "events.events.k8s.io",
  "ipaddresses.networking.k8s.io",
]);

/** How long after a fault a process may wait until it watches again. */
const recovery = 60_000;

/** The cluster and the processes of one run. */
export class World {
  readonly loop = new EventLoop();
  readonly recorder = new Recorder(this.loop);
  readonly random: Random;
  readonly faults: FaultPlan;
  readonly scenario: Scenario;
  readonly http: Scenario["http"];
  readonly exec: Scenario["exec"];
  readonly replicas: readonly Replica[];
  /** Decides which process answers a call of a webhook. */
  readonly webhookRandom: Random;
  readonly #base: Base;
  readonly #clock = new ProcessClock(this.loop.clock);
  readonly #environment = new Map<string, Environment>();
  readonly #revisions: Array<{ readonly at: number; readonly revision: number }> = [];
  #cluster!: InProcessCluster;
  /** Who created an object, by uid. */
  readonly creators = new Map<string, string>();
  readonly derived = new DerivedObjects();
  /** Objects that processes created, in order. */
  readonly children: KubernetesObject[] = [];
  /** What the writes of the processes do to which kinds: each is a point at which they may die. */
  readonly writePoints = new Set<string>();
  readonly diedAt = new Set<string>();
  controllerWrites = 0;
  /** When a process last changed an object, or failed to: it will try again. Or a user, whom processes will answer. */
  lastEffort = 0;
  readonly #refusals = new Refusals();
  /** The changes of the processes since they last had to come to rest. */
  readonly changes = new ChangeCount();
  onChange: () => void = () => {};

  constructor(scenario: Scenario, base: Base) {
    this.#base = base;
    this.scenario = scenario;
    this.random = new Random(scenario.seed ?? 1);
    this.webhookRandom = this.random.fork("webhooks");
    this.http = scenario.http;
    this.exec = scenario.exec;
    this.faults = new FaultPlan(scenario.faults ?? []);
    this.replicas = scenario.operators.flatMap((operator) =>
      Array.from({ length: operator.replicas ?? 1 }, (_, index) => new Replica(this, operator, index)),
    );
  }

  get cluster(): InProcessCluster {
    return this.#cluster;
  }

  async open({ operators, controllers = [] }: Scenario): Promise<void> {
    this.#cluster = await this.as("cluster", () =>
      startInProcess({
        clock: this.#clock,
        tokens: tokensOf({ operators }),
        controllers: [...new Set([...always, ...controllers])],
        ...(controllers.length > 0 && { wrapObjects: (objects) => refusing(this, objects) }),
        serviceAccountKey,
        state: this.#base.state,
        carryWebhook: (post) => {
          const call = callWebhook(this, post);
          // What the cluster does by itself holds no time.
          return environment()?.who === "cluster" ? call : this.loop.release(call);
        },
        onError: (error) => {
          const { message, cause } = error as Error;
          const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
          this.recorder.add({ type: "log", process: "cluster", level: "error", message: text });
        },
      }),
    );
    this.#cluster.core.store.listen(({ name }, { type, entry, previous, revision }) => {
      this.#revisions.push({ at: this.loop.now, revision });
      if (name === "leases.coordination.k8s.io") this.#noteLease(type, entry.object, previous?.object);
      if (aside.has(name)) return;
      const by = environment()?.who ?? "cluster";
      const object = entry.object as unknown as KubernetesObject;
      const { uid = "" } = object.metadata;
      if (type === "ADDED") this.creators.set(uid, by);
      this.#refusals.clear();
      if (this.isProcess(by)) {
        if (type === "ADDED") this.children.push(object);
        this.lastEffort = this.loop.now;
        if (!this.#isDisturbed) this.changes.add(name, object);
      } else if (by === "user") this.lastEffort = this.loop.now;
      const wasDeleted = previous?.object.metadata.deletionTimestamp !== undefined;
      const fields =
        type === "MODIFIED"
          ? changedFields(previous?.object, entry.object)
          : type === "DELETED" && wasDeleted
            ? ["metadata.finalizers"]
            : [];
      const owners = [ownerOf(previous?.object), ownerOf(entry.object)] as const;
      this.derived.note(by, uid, { isNew: type === "ADDED", fields });
      this.recorder.add({
        type: "change",
        by,
        change: type,
        resource: name,
        key: entry.key,
        uid,
        fields,
        owners,
      });
      this.onChange();
    });
  }

  #noteLease(type: "ADDED" | "MODIFIED" | "DELETED", lease: ApiObject, before: ApiObject | undefined): void {
    const [holder, former] = [lease, before].map(
      (each) => (each?.["spec"] as { holderIdentity?: string } | undefined)?.holderIdentity,
    );
    if (!holder) return;
    const claims = shardClaims(lease);
    if (claims !== undefined) {
      if (type === "MODIFIED" && claims === shardClaims(before!)) return;
      const { name = "" } = lease.metadata;
      const claimed = type === "DELETED" ? "" : claims;
      this.recorder.add({ type: "claims", process: holder, lease: name, claims: claimed });
      return;
    }
    if (holder === former) return;
    this.recorder.add({ type: "leads", process: holder });
    for (const replica of this.replicas)
      if (replica.operator === this.replicas.find(({ name }) => name === holder)?.operator)
        replica.isLeader = replica.name === holder;
  }

  /** Whether a process may see an old state, and so change things in vain until it learns better. */
  get #isDisturbed(): boolean {
    const { now } = this.loop;
    return (
      this.replicas.some(({ viewHeldUntil }) => now < viewHeldUntil) ||
      this.faults.timed.some(
        (fault) => "for" in fault && fault.at <= now && now < fault.at + fault.for + recovery,
      )
    );
  }

  /** The date of the API server. */
  get date(): number {
    return this.#clock.now();
  }

  isProcess(who: string): boolean {
    return this.replicas.some(({ name }) => name === who);
  }

  /** A process failed to change something. Who tries that again and again, as long as nothing changes, may rest. */
  noteRefusal(attempt: string): void {
    if (this.#refusals.add(attempt)) this.lastEffort = this.loop.now;
  }

  /** Runs code in the environment of the cluster, or of a request of somebody. */
  as<R>(who: string, run: () => R): R {
    let around = this.#environment.get(who);
    if (!around) {
      const { enqueue } = this.loop;
      around = {
        who,
        clock: this.#clock,
        random: this.random.fork(`server for ${who}`),
        isClosed: false,
        enqueue,
      };
      this.#environment.set(who, around);
    }
    return inside(around, run);
  }

  /** Has the API server handle a request. It may load a schema first, which takes no virtual time. */
  handle(who: string, request: PlainRequest): Promise<PlainResponse> {
    return this.as(who, () => this.loop.hold(this.#cluster.handle(request)));
  }

  /** Has the API server handle a request of somebody who may do everything. */
  async ask(
    who: "user" | "autoscaler",
    method: string,
    path: string,
    body?: object,
    type = "application/json",
  ): Promise<PlainResponse> {
    const headers = { authorization: `Bearer ${userToken}`, "content-type": type };
    return this.handle(who, { method, path, headers, body: body && JSON.stringify(body) });
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.loop.after(milliseconds, resolve);
    });
  }

  note(fault: Fault): void {
    this.recorder.add({ type: "fault", text: faultText(fault) });
  }

  /** The revision of the cluster at an earlier time. */
  revisionAt(time: number): number {
    const before = this.#revisions.findLast(({ at }) => at <= time);
    return before?.revision ?? this.#base.state.revision;
  }

  /** All objects but those of every cluster. */
  objects(): KubernetesObject[] {
    return this.#cluster.core.store.collections().flatMap((collection) =>
      aside.has(collection.name)
        ? []
        : collection
            .list()
            .filter(({ key }) => !this.#base.system.has(`${collection.name} ${key}`))
            .map(({ object }) => object as unknown as KubernetesObject),
    );
  }

  async close(): Promise<void> {
    this.recorder.close();
    for (const replica of this.replicas) replica.close();
    // What they still do ends here, in their environment.
    await this.loop.drain();
    await this.#cluster.stop();
    this.#clock.stop();
  }
}

type ClusterObjects = Parameters<NonNullable<InProcessOptions["wrapObjects"]>>[0];

/** The cluster's objects for its controllers, some of whose writes fail, as the faults say. */
function refusing(world: World, objects: ClusterObjects): ClusterObjects {
  const attempt = async <R>(write: () => Promise<R>): Promise<R> => {
    const refusal = world.faults.refusalOf("controllers", ++world.controllerWrites);
    if (!refusal) return write();
    world.note(refusal);
    if (refusal.done) await write();
    throw errorOf(refusal);
  };
  return {
    ...objects,
    create: (...write) => attempt(() => objects.create(...write)),
    update: (...write) => attempt(() => objects.update(...write)),
    delete: (...write) => attempt(() => objects.delete(...write)),
  };
}

/** As the server's own errors; the plan of the faults admits no others. */
function errorOf({ with: how }: RefusalFault): Error {
  const [code, reason, message] = refusalAnswers[how as keyof typeof refusalAnswers];
  return Object.assign(new Error(message), { status: { code, reason } });
}

type ApiObject = ReturnType<InProcessCluster["core"]["store"]["collections"]>[number] extends {
  get(key: string): { readonly object: infer One } | undefined;
}
  ? One
  : never;

function ownerOf(object: ApiObject | undefined): string | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
