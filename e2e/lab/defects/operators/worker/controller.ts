import { createHash } from "node:crypto";
import {
  Children,
  type Client,
  type Clock,
  type Condition,
  type Context,
  type Desired,
  type Manager,
  type NamespacedName,
  type Reconciler,
  type Result,
  setCondition,
  shortName,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Worker, type WorkerStatus } from "./types.ts";

// +kubebuilder:rbac:groups=jobs.example.com,resources=workers,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=jobs.example.com,resources=workers/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=jobs.example.com,resources=workers/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch

const broker = "https://broker.example.org/api";
const every = "15s";

/** A consumer group of the broker. */
export interface ConsumerGroup {
  readonly queue: string;
  readonly owner: string;
  readonly prefetch: number;
}

type Outcome = Pick<Condition, "status" | "reason" | "message">;

/** Reconciles Worker objects. */
export class WorkerReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(request: NamespacedName, context: Context): Promise<Result> {
    const worker = await this.#client.find(Worker, request);
    if (!worker) return;
    const { metadata, spec } = worker;
    const status: WorkerStatus = { ...worker.status, observedGeneration: metadata.generation! };

    let token: string | undefined;
    if (spec.tokenSecret !== undefined) {
      const secret = await this.#client.find(Secret, {
        namespace: metadata.namespace,
        name: spec.tokenSecret,
      });
      token = secret?.data?.["token"];
      if (!token) {
        await this.#finish(worker, status, {
          status: "False",
          reason: "TokenMissing",
          message: `Secret ${spec.tokenSecret} has no token`,
        });
        return;
      }
    }

    const children = new Children(this.#client, worker, { clock: this.#clock });
    const { name } = metadata;
    const current = await children.find(Deployment, nameOf(worker));

    let wanted: number;
    try {
      await this.#subscribe(worker, context);
      wanted = replicasFor(worker, await depthOf(spec.queue, context));
    } catch (error) {
      if (context.signal.aborted) throw error;
      // The workers go on as they are, within the bounds of the spec.
      await this.#apply(children, worker, token, within(worker, current?.spec?.replicas ?? 0));
      await this.#finish(worker, status, {
        status: "False",
        reason: "BrokerUnavailable",
        message: "The broker can't be asked for the length of the queue",
      });
      context.log.info("The broker doesn't answer", { name, error: String(error) });
      return { requeueAfter: every };
    }

    const now = within(worker, current?.spec?.replicas ?? wanted);
    let replicas = wanted;
    if (wanted >= now) delete status.lowSince;
    else {
      status.lowSince ??= this.#now();
      const left = Date.parse(status.lowSince) + (spec.cooldownSeconds ?? 60) * 1000 - this.#clock.now();
      if (left > 0) replicas = now;
      else delete status.lowSince;
    }

    const deployment = await this.#apply(children, worker, token, replicas);
    status.replicas = deployment?.spec?.replicas ?? 0;
    status.readyReplicas = deployment?.status?.readyReplicas ?? 0;
    const [rejection] = children.rejections;
    const isReady =
      deployment !== undefined &&
      deployment.status?.observedGeneration === deployment.metadata.generation &&
      (deployment.status?.updatedReplicas ?? 0) === replicas &&
      (deployment.status?.readyReplicas ?? 0) === replicas;
    const condition = await this.#finish(
      worker,
      status,
      rejection
        ? { status: "False", reason: rejection.reason, message: rejection.message }
        : isReady
          ? { status: "True", reason: "Working", message: "All workers are ready" }
          : { status: "False", reason: "Waiting", message: "Workers are not ready yet" },
    );
    return condition && rejection ? children.result(condition) : { requeueAfter: every };
  }

  async #apply(
    children: Children,
    worker: Stored<Worker>,
    token: string | undefined,
    replicas: number,
  ): Promise<Stored<Deployment> | undefined> {
    const name = nameOf(worker);
    const deployment = await children.set(Deployment, name, deploymentFor(worker, token, replicas));
    await children.set(
      PodDisruptionBudget,
      name,
      (worker.spec.minReplicas ?? 0) > 1 ? budgetFor(worker) : undefined,
    );
    return deployment;
  }

  async #finish(
    worker: Stored<Worker>,
    status: WorkerStatus,
    outcome: Outcome,
  ): Promise<Condition | undefined> {
    const conditions = setCondition(
      worker.status?.conditions,
      { type: "Ready", ...outcome, observedGeneration: worker.metadata.generation },
      this.#clock,
    );
    await this.#client.patchStatus(Worker, worker, { ...status, conditions });
    return conditions.find(({ type }) => type === "Ready");
  }

  /** Sees to it that the broker has exactly one group of the worker, at its queue. */
  async #subscribe(worker: Stored<Worker>, { signal }: Context): Promise<void> {
    const { queue, prefetch = 1 } = worker.spec;
    const owner = worker.metadata.uid;
    const groups = await groupsOf(owner, signal);
    for (const group of groups) if (group.queue !== queue) await leave(group, signal);
    if (groups.some((group) => group.queue === queue && group.prefetch === prefetch)) return;
    const live = await this.#client.find(Worker, worker.metadata, { live: true });
    if (
      live?.metadata.uid !== owner ||
      live.metadata.deletionTimestamp !== undefined ||
      live.spec.queue !== queue
    )
      throw new Error("a newer state of the worker is awaited");
    const response = await fetch(`${broker}/queues/${queue}/groups/${owner}`, {
      method: "PUT",
      body: JSON.stringify({ prefetch }),
      signal,
    });
    if (!response.ok) throw new Error(`subscribing to ${queue} was answered with ${response.status}`);
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }
}

/** Cleans up at the broker. */
async function unsubscribe(worker: Stored<Worker>, { signal }: Context): Promise<void> {
  for (const group of await groupsOf(worker.metadata.uid, signal)) await leave(group, signal);
}

async function groupsOf(owner: string, signal: AbortSignal): Promise<readonly ConsumerGroup[]> {
  const response = await fetch(`${broker}/groups?owner=${owner}`, { signal });
  if (!response.ok) throw new Error(`listing the groups was answered with ${response.status}`);
  const groups = (await response.json()) as unknown;
  if (!Array.isArray(groups)) throw new Error("the broker's answer is not a list of groups");
  return groups as ConsumerGroup[];
}

async function leave({ queue, owner }: ConsumerGroup, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${broker}/queues/${queue}/groups/${owner}`, { method: "DELETE", signal });
  if (!response.ok && response.status !== 404)
    throw new Error(`leaving ${queue} was answered with ${response.status}`);
}

async function depthOf(queue: string, { signal }: Context): Promise<number> {
  const response = await fetch(`${broker}/queues/${queue}/depth`, { signal });
  if (!response.ok) throw new Error(`the depth of ${queue} was answered with ${response.status}`);
  const { messages } = (await response.json()) as { messages?: unknown };
  if (typeof messages !== "number") throw new Error(`the depth of ${queue} is not a number`);
  return messages;
}

/** A Deployment has the worker's name; the names of its pods leave room for 47 characters. */
const nameOf = ({ metadata }: Stored<Worker>): string => shortName(metadata.name, 47);

function within({ spec: { minReplicas = 0, maxReplicas } }: Worker, replicas: number): number {
  return Math.min(Math.max(replicas, minReplicas), maxReplicas);
}

function replicasFor(worker: Worker, messages: number): number {
  return within(worker, Math.ceil(messages / (worker.spec.messagesPerReplica ?? 10)));
}

const selectorOf = (worker: Stored<Worker>): Record<string, string> => ({
  "app.kubernetes.io/name": "worker",
  "app.kubernetes.io/instance": nameOf(worker),
});

function deploymentFor(
  worker: Stored<Worker>,
  token: string | undefined,
  replicas: number,
): Desired<Deployment> {
  const { spec, metadata } = worker;
  const labels = selectorOf(worker);
  const env = Object.entries({ ...spec.env, QUEUE: spec.queue, GROUP: metadata.uid }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return {
    metadata: { namespace: metadata.namespace, name: nameOf(worker), labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          ...(token !== undefined && {
            // New pods read the new token.
            annotations: { "jobs.example.com/token": createHash("sha256").update(token).digest("hex") },
          }),
        },
        spec: {
          containers: [
            {
              name: "worker",
              image: spec.image,
              env: [
                ...env.map(([name, value]) => ({ name, value })),
                ...(spec.tokenSecret === undefined
                  ? []
                  : [
                      {
                        name: "BROKER_TOKEN",
                        valueFrom: { secretKeyRef: { name: spec.tokenSecret, key: "token" } },
                      },
                    ]),
              ],
            },
          ],
        },
      },
    },
  };
}

function budgetFor(worker: Stored<Worker>): Desired<PodDisruptionBudget> {
  const labels = selectorOf(worker);
  return {
    metadata: { namespace: worker.metadata.namespace, name: nameOf(worker), labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

/** Registers the controller and the kinds that it watches. */
export function setup(manager: Manager): void {
  const { client, cache } = manager;
  const reconciler = new WorkerReconciler(manager);
  cache.addIndex(Worker, "spec.tokenSecret", ({ spec }) =>
    spec.tokenSecret === undefined ? [] : [spec.tokenSecret],
  );
  manager
    .controllerFor(Worker)
    .named("worker")
    .owns(Deployment)
    .owns(PodDisruptionBudget)
    .watches(Secret, async ({ metadata: { namespace, name } }) => {
      const workers = await client.list(Worker, { namespace, fields: { "spec.tokenSecret": name } });
      return workers.map(({ metadata }) => ({ namespace, name: metadata.name }));
    })
    .finalizer("jobs.example.com/group", unsubscribe)
    .complete(reconciler);
}
