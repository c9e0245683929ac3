import { X509Certificate, generateKeyPairSync } from "node:crypto";
import { type KubernetesObject, changedFields } from "@tsbuilder/apimachinery/meta";
import type { InProcessCluster, WebhookPost, WebhookReply } from "@tsbuilder/cluster";
import { startInProcess } from "@tsbuilder/cluster";
import { shardClaims } from "@tsbuilder/runtime/testing";
import { splitBundle } from "@tsbuilder/apimachinery/certs";
import { type Effect, type Fault, type Scenario, type State, stateOf } from "../contract/index.ts";
import { type Environment, environment, inside } from "../globals/environment.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { type Base, isWebhookConfiguration, leaderAnnotation, tokensOf, userToken } from "./base.ts";
import { areEventsRead, controllerWrites } from "./controller-writes.ts";
import { ExternalCalls } from "./external-calls.ts";
import { FaultPlan } from "./fault-plan.ts";
import { Kubelets } from "./kubelets.ts";
import { MountedData } from "./mounted-data.ts";
import { ChangeCount, DerivedObjects, Recorder, Refusals } from "./records.ts";
import { RefusedRequests, RepeatedEvents } from "./repeated-requests.ts";
import { Activity, PacedLoop } from "./paced-loop.ts";
import { type Life, Replica, type RunningLife } from "./replica.ts";
import { EventLoop, ProcessClock } from "./virtual-time.ts";

type PlainRequest = Parameters<InProcessCluster["handle"]>[0];
type PlainResponse = Awaited<ReturnType<InProcessCluster["handle"]>>;

type ApiObject = ReturnType<InProcessCluster["core"]["store"]["collections"]>[number] extends {
  get(key: string): { readonly object: infer One } | undefined;
}
  ? One
  : never;

/** Signs the tokens of all runs: making a key takes longer than starting a cluster, and no trace holds a token. */
const serviceAccountKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  type: "pkcs8",
  format: "pem",
}) as string;

/** Controllers of every run: without them, deletions never finish. */
const requiredControllers = ["garbagecollector", "namespace"] as const;

/** Collections that operators change while they wait, and that no answer to a request for another kind depends on. */
const leases = "leases.coordination.k8s.io";
const sideNotes = new Set([leases, "events", "events.events.k8s.io"]);

/** Collections that are neither traced nor compared: the cluster fills them, or they are not an operator's work. */
const ignoredCollections = new Set([...sideNotes, "ipaddresses.networking.k8s.io"]);

const effectTypes = { ADDED: "create", MODIFIED: "update", DELETED: "delete" } as const;

/** Milliseconds after a fault within which a process may still wait for its watches to be back. */
const watchRecoveryTime = 60_000;

/** The cluster and the processes of one run, under one clock, with records of all changes. `simulate.ts` moves the time. */
export class World {
  readonly loop: EventLoop;
  /** What the operators do that have processes of their own; undefined if there are none. */
  readonly activity: Activity | undefined;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly faults: FaultPlan;
  readonly scenario: Scenario;
  readonly replicas: readonly Replica[];
  /** Chooses the replica that handles a webhook call. */
  readonly webhookRandom: Random;
  /** The creator of each object, by uid. */
  readonly creators = new Map<string, string>();
  readonly derived = new DerivedObjects();
  readonly external: ExternalCalls;
  readonly kubelets: Kubelets;
  readonly mounted: MountedData;
  /** Objects that processes created, in order: a fault names one by its index. */
  readonly createdObjects: KubernetesObject[] = [];
  /** The kinds of writes by processes, such as `shop: PATCH ConfigMap`: each is a point at which one may die. */
  readonly writePoints = new Set<string>();
  readonly diedAt = new Set<string>();
  controllerWrites = 0;
  /** The number of changes of objects, but for those that operators make while they wait. */
  changeNumber = 0;
  /** The number of storage migrations that are under way. No run ends before they have. */
  migrations = 0;
  /** The time of the last change by a process or a user, or of the last attempt of a process that may yet succeed. */
  lastEffort = 0;
  /** The changes by processes since `simulate.ts` last began to wait for the operators to rest. */
  readonly changes = new ChangeCount();
  /** Is told of each write and of each call that takes effect, and, without one, of time that was skipped. */
  onEffect: ((effect?: Effect) => void) | undefined;
  readonly #base: Base;
  readonly #clock: ProcessClock;
  readonly #environment = new Map<string, Environment>();
  readonly #revisions: Array<{ readonly at: number; readonly revision: number }> = [];
  /** Undefined until the world is open. */
  cluster!: InProcessCluster;
  readonly #refusals = new Refusals();
  readonly #refused = new RefusedRequests<PlainResponse>();
  /** Undefined if somebody may read Events. */
  readonly #repeatedEvents: RepeatedEvents | undefined;

  /** `begin` is a parameter because `network.ts` and `program.ts`, which begin the lives of processes, import this file. */
  constructor(
    scenario: Scenario,
    base: Base,
    begin: (world: World, replica: Replica, life: Life) => RunningLife,
    { slowReady }: { readonly slowReady?: number } = {},
  ) {
    this.activity = scenario.operators.some(({ program }) => program) ? new Activity() : undefined;
    this.loop = this.activity ? new PacedLoop(this.activity, () => this.disturbedUntil) : new EventLoop();
    this.recorder = new Recorder(this.loop);
    this.#clock = new ProcessClock(this.loop.clock);
    this.#base = base;
    this.scenario = scenario;
    this.random = new Random(scenario.seed ?? 1);
    this.webhookRandom = this.random.fork("webhooks");
    this.faults = new FaultPlan(scenario.faults ?? []);
    this.kubelets = new Kubelets(this, slowReady);
    this.mounted = new MountedData(this);
    this.external = new ExternalCalls(this, scenario);
    this.#repeatedEvents = areEventsRead(scenario) ? undefined : new RepeatedEvents();
    const beginLife = (replica: Replica, life: Life): RunningLife => begin(this, replica, life);
    this.replicas = scenario.operators.flatMap((operator) =>
      Array.from(
        { length: operator.replicas ?? 1 },
        (_, index) => new Replica(this, operator, index, beginLife),
      ),
    );
  }

  /** Starts the cluster, from the state that all runs of the scenario begin with. */
  async open({ operators, controllers = [] }: Scenario): Promise<void> {
    const evictions = controllers.includes("node") ? (["tainteviction"] as const) : [];
    this.cluster = await this.as("cluster", () =>
      startInProcess({
        clock: this.#clock,
        tokens: tokensOf({ operators }),
        controllers: [...new Set([...requiredControllers, ...controllers, ...evictions])],
        pace: this.kubelets.pace,
        wrapObjects: (objects) => controllerWrites(this, objects),
        serviceAccountKey,
        state: this.#base.state,
        // Virtual time stops while a write is handled, but a webhook takes time, so its call lets time go on.
        carryWebhook: (post) => {
          this.#refused.forget();
          return this.loop.release(callWebhook(this, post));
        },
        onError: (error) => {
          const { message, cause } = error as Error;
          const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
          this.recorder.add({ type: "log", process: "cluster", level: "error", message: text });
        },
      }),
    );
    this.#listen();
  }

  #listen(): void {
    this.cluster.core.store.listen(({ name }, { type, entry, previous, revision }) => {
      this.#revisions.push({ at: this.loop.now, revision });
      if (!sideNotes.has(name) || (name !== leases && !this.#repeatedEvents)) this.#refused.forget();
      if (name === leases) this.#noteLease(type, entry.object, previous?.object);
      if (ignoredCollections.has(name) || isLeaderLock(entry.object)) return;
      this.changeNumber++;
      const who = environment()?.who ?? "cluster";
      const by = who === "kubelets" ? "cluster" : who;
      const object = entry.object as unknown as KubernetesObject;
      const { uid = "" } = object.metadata;
      if (type === "ADDED") this.creators.set(uid, by);
      if (type === "ADDED" && name === "pods") this.kubelets.noteCreated(object);
      this.#refusals.clear();
      if (this.isProcess(by)) {
        if (type === "ADDED") this.createdObjects.push(object);
        this.lastEffort = this.loop.now;
        if (!this.#isDisturbed) this.changes.add(name, object);
      } else if (by === "user") this.lastEffort = this.loop.now;
      if (type !== "DELETED") this.mounted.note(name, entry.key, object, previous?.object);
      const wasDeleted = previous?.object.metadata.deletionTimestamp !== undefined;
      const fields =
        type === "MODIFIED"
          ? changedFields(previous?.object, entry.object)
          : type === "DELETED" && wasDeleted
            ? ["metadata.finalizers"]
            : [];
      const owners = [controllerUid(previous?.object), controllerUid(entry.object)] as const;
      this.derived.note(by, uid, { isNew: type === "ADDED", fields });
      const { key } = entry;
      this.recorder.add({ type: "change", by, change: type, resource: name, key, uid, fields, owners });
      const before = previous && { before: previous.object as unknown as KubernetesObject };
      this.onEffect?.({ type: effectTypes[type], by, object, ...(type === "MODIFIED" && before) });
    });
  }

  /** Records the election of a leader, and the shards that a process claims. */
  #noteLease(type: "ADDED" | "MODIFIED" | "DELETED", lease: ApiObject, before: ApiObject | undefined): void {
    const [holder, former] = [lease, before].map(
      (leaseState) => (leaseState?.["spec"] as { holderIdentity?: string } | undefined)?.holderIdentity,
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
    const leader = this.replicas.find(({ name }) => name === holder);
    if (!leader || holder === former) return;
    this.recorder.add({ type: "leads", process: holder });
    for (const replica of this.replicas)
      if (replica.operator === leader.operator) replica.isLeader = replica === leader;
  }

  /** A fault may show a process an old state, so that it changes objects in vain. Such changes don't count as a loop. */
  get #isDisturbed(): boolean {
    const { now } = this.loop;
    return (
      this.replicas.some((replica) => now < replica.viewHeldUntil) ||
      this.faults.timed.some(
        (fault) => "for" in fault && fault.at <= now && now < fault.at + fault.for + watchRecoveryTime,
      )
    );
  }

  /** The time at which the last of the faults ends that last now. */
  get disturbedUntil(): number {
    const { now } = this.loop;
    const ends = this.faults.timed.flatMap((fault) =>
      "for" in fault && fault.at <= now ? [fault.at + fault.for] : [],
    );
    return Math.max(0, ...ends, ...this.replicas.map(({ viewHeldUntil }) => viewHeldUntil));
  }

  /** The API server's date. */
  get date(): number {
    return this.#clock.now();
  }

  /** Returns whether a writer is a process of an operator, and not the cluster or a user. */
  isProcess(who: string): boolean {
    return this.replicas.some(({ name }) => name === who);
  }

  /** Records a failed write. A write that has failed several times no longer counts as effort, so that the run can end. */
  noteRefusal(attempt: string): void {
    if (this.#refusals.add(attempt)) this.lastEffort = this.loop.now;
  }

  /** Records that a call of a process changed an external system. */
  noteEffect(system: string, call: string, effect: Effect | undefined): void {
    this.lastEffort = this.loop.now;
    this.#refusals.clear();
    if (!this.#isDisturbed) this.changes.add(system, { metadata: { name: call } } as KubernetesObject);
    if (effect) this.onEffect?.(effect);
  }

  /** Returns all objects, and the states of all external systems. */
  state(): State {
    return stateOf(this.objects(), this.external.states, this.date);
  }

  /** Runs code of the API server, in the environment of the client whose request it handles. */
  as<R>(who: string, run: () => R): R {
    let environmentOfClient = this.#environment.get(who);
    if (!environmentOfClient) {
      const { enqueue } = this.loop;
      environmentOfClient = {
        who,
        clock: this.#clock,
        random: this.random.fork(`server for ${who}`),
        isClosed: false,
        enqueue,
      };
      this.#environment.set(who, environmentOfClient);
    }
    return inside(environmentOfClient, run);
  }

  /** Has the API server handle a request. Loading a schema may take real time, but no virtual time. */
  handle(who: string, request: PlainRequest): Promise<PlainResponse> {
    return this.as(who, () => this.loop.hold(this.cluster.handle(request)));
  }

  /** Does the same, but leaves out the server if it would refuse the request once more. */
  handleOrRefuse(who: string, request: PlainRequest): Promise<PlainResponse> {
    const { method, path, headers, body = "" } = request;
    const key = `${who} ${method} ${path} ${JSON.stringify(headers)} ${body}`;
    return this.#refused.answer(key, () => this.handle(who, request));
  }

  /** Has the API server handle a request to write an Event, but leaves out one that only repeats others. */
  handleEvent(who: string, request: PlainRequest): Promise<PlainResponse> {
    const handle = (): Promise<PlainResponse> => this.handle(who, request);
    return this.#repeatedEvents?.answer(request, handle) ?? handle();
  }

  /** Sends a request with all permissions. A PATCH is a merge patch. */
  async ask(
    who: "user" | "autoscaler" | "kubelets" | "installer",
    method: string,
    path: string,
    body?: object,
  ): Promise<PlainResponse> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { authorization: `Bearer ${userToken}`, "content-type": type };
    return this.handle(who, { method, path, headers, body: body && JSON.stringify(body) });
  }

  /** Records that a fault strikes. */
  note(fault: Fault): void {
    this.recorder.add({ type: "fault", text: this.faults.textOf(fault) });
  }

  /** Returns the revision of the cluster at a time; before its first change, that of the state it began with. */
  revisionAt(time: number): number {
    const before = this.#revisions.findLast(({ at }) => at <= time);
    return before?.revision ?? this.#base.state.revision;
  }

  /** Returns all objects, without those that every cluster has. */
  objects(): KubernetesObject[] {
    return this.cluster.core.store.collections().flatMap((collection) => {
      if (ignoredCollections.has(collection.name)) return [];
      const system = this.#base.system.get(collection.name);
      const own = collection
        .list()
        .filter(
          ({ key, object }) => !system?.has(key) && !this.#isInstalled(object) && !isLeaderLock(object),
        );
      return own.map(({ object }) => object as unknown as KubernetesObject);
    });
  }

  /** Returns whether a release brought an object, which no operator has a part in. Configurations of webhooks get a CA bundle. */
  #isInstalled({ kind, metadata: { uid = "" } }: ApiObject): boolean {
    return this.creators.get(uid) === "installer" && !isWebhookConfiguration({ kind });
  }

  async close(): Promise<void> {
    this.recorder.close();
    for (const replica of this.replicas) replica.close();
    // Code that is still due ends here, in its own environment.
    await this.loop.drain();
    await this.cluster.stop();
    this.#clock.stop();
  }
}

/** Returns whether an object serves as a Lease. */
function isLeaderLock({ metadata }: ApiObject): boolean {
  return metadata.annotations?.[leaderAnnotation] !== undefined;
}

/** Returns the uid of the owner that controls an object. */
function controllerUid(object: ApiObject | undefined): string | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** Brings a call of the API server to one of the processes that serve the path, as a Service does. */
async function callWebhook(world: World, post: WebhookPost): Promise<WebhookReply> {
  const path = new URL(post.path, "http://webhook").pathname;
  const replica = chooseReplica(world, path);
  const { recorder } = world;
  try {
    if (!replica) throw new Error("connect: connection refused");
    const reply = await answerCall(world, replica, path, post);
    recorder.add({ type: "webhook", process: replica.name, path, status: reply.code });
    return reply;
  } catch (error) {
    if (error instanceof DistrustError)
      recorder.add({
        type: "log",
        process: "cluster",
        level: "error",
        message: `${replica!.name}: ${error.message}`,
      });
    else recorder.add({ type: "webhook", process: replica?.name, path, status: 0 });
    throw error;
  }
}

function chooseReplica({ replicas, webhookRandom }: World, path: string): Replica | undefined {
  const serving = replicas.filter(({ webhooks }) => webhooks?.paths.includes(path));
  return serving.length === 0 ? undefined : webhookRandom.pick(serving);
}

/** Returns a process's reply. Rejects if the process dies, or when the API server's timeout is over. */
function answerCall(world: World, replica: Replica, path: string, post: WebhookPost): Promise<WebhookReply> {
  const { loop, faults } = world;
  const fault = faults.webhookFault(replica.operator.name, loop.now);
  const isLost = (fault && fault.delay === undefined) || faults.isUnder("cut", replica.name, loop.now);
  const abort = new AbortController();
  return new Promise<WebhookReply>((resolve, reject) => {
    const end = (settle: () => void): void => {
      cancel();
      replica.calls.delete(failCall);
      settle();
    };
    const failCall = (): void => end(() => reject(new Error("EOF")));
    const cancel = loop.after(post.timeoutSeconds * 1000, () => {
      replica.run(() => abort.abort(new DOMException("the API server waits no longer", "TimeoutError")));
      end(() => reject(new Error("context deadline exceeded")));
    });
    replica.calls.add(failCall);
    if (isLost) return;
    const { webhooks } = replica;
    loop.after(replica.latency() + (fault?.delay ?? 0), () =>
      replica.run(() => {
        if (!replica.calls.has(failCall)) return;
        const distrust = explainDistrust(webhooks!.certificate(), post.config, world.date);
        if (distrust !== undefined) return end(() => reject(new DistrustError(distrust)));
        const call = { path, body: JSON.parse(post.body) as unknown, signal: abort.signal };
        void webhooks!.answer(call).then(({ status, body }) => {
          const reply = { code: status, text: JSON.stringify(body) };
          loop.after(replica.latency(), () => end(() => resolve(reply)));
        }, failCall);
      }),
    );
  });
}

/** The API server doesn't trust the certificate of a webhook. */
class DistrustError extends Error {
  constructor(reason: string) {
    super(`tls: failed to verify certificate: x509: ${reason}`);
  }
}

/** Returns why the API server distrusts a webhook's certificate; undefined if it trusts it, or the operator doesn't manage it. */
export function explainDistrust(
  pem: string | undefined,
  { caBundle = "", service }: WebhookPost["config"],
  date: number,
): string | undefined {
  if (pem === undefined) return undefined;
  const certificate = new X509Certificate(pem);
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean =>
    Date.parse(validFrom) <= date && date <= Date.parse(validTo);
  if (!isValid(certificate)) return "certificate has expired or is not yet valid";
  const bundle = Buffer.from(caBundle, "base64").toString("utf8");
  const authorities = splitBundle(bundle).map((ca) => new X509Certificate(ca));
  if (!authorities.some((ca) => isValid(ca) && certificate.verify(ca.publicKey)))
    return "certificate signed by unknown authority";
  const host = service && `${service.name}.${service.namespace}.svc`;
  return host === undefined || certificate.checkHost(host) !== undefined
    ? undefined
    : `certificate is not valid for ${host}`;
}
