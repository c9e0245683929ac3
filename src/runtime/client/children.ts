import { isObject } from "@tsbuilder/apimachinery/json";
import type {
  Condition,
  DesiredCondition,
  Duration,
  Kind,
  KubernetesObject,
} from "@tsbuilder/apimachinery/meta";
import { type Clock, parseTime, systemClock } from "@tsbuilder/apimachinery/time";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import {
  type Child,
  type ChildGroup,
  type ChildOptions,
  ChildOrder,
  conditionOf,
  type BeforeApply,
  type DesiredChild,
  type ExactChild,
  identify,
} from "./child-order.ts";
import type {
  Client,
  DeleteOptions,
  Desired,
  ExactDesired,
  ObjectKey,
  Owner,
  Stored,
  WithoutStatus,
} from "./client.ts";
import { formatKey, keyOf } from "./client.ts";
import { isBeyond, isOwnedBy, trackingFinalizer, trackingMetadata } from "./tracked-children.ts";

/** Why a child can't have its desired state: a reason and a message for a condition. */
export interface Rejection {
  /**
   * `NameConflict` if an object of another owner has the name, `NamespaceMissing` if its namespace doesn't exist,
   * `KindMissing` if the cluster doesn't serve its kind, and `<Kind>Rejected` if the server rejects it.
   */
  readonly reason: string;
  readonly message: string;
  /** The original error. */
  readonly error: ApiError;
}

/**
 * The objects that an owner controls, in one reconcile. `set` applies or deletes one at once. `add` declares children that
 * depend on others, and `apply` then does what can be done now, in order. A child that the server rejects, or whose name
 * is used by another owner, becomes a rejection, and the others are still set. Any other error is thrown, so that the
 * reconcile is retried.
 *
 * Children are found by their owner references in the cluster, so nothing is lost in a restart. Those in other namespaces
 * than their owner's have a label instead: see `owns` with `byLabel`.
 */
export class Children {
  /** The children rejected in this reconcile. */
  readonly rejections: Rejection[] = [];
  readonly #client: Client;
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #desired = new Set<string>();
  readonly #order: ChildOrder;

  /** Pass `manager.clock`: it determines how long a condition has held, and tests move it. Default: the system time. */
  constructor(
    client: Client,
    owner: Owner,
    { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
  ) {
    this.#client = client;
    this.#owner = owner;
    this.#clock = clock;
    this.#order = new ChildOrder(
      {
        find: (kind, key) => this.find(kind, key),
        remove: (kind, key, propagationPolicy) => this.#tryRemove(kind, key, { propagationPolicy }),
        listStrays: async (kind) => (await this.#undesired(kind)).map((stray) => keyOf(stray)),
        apply: async (kind, key, desired, prepare) => {
          const { length } = this.rejections;
          const object = await this.set(kind, key, desired, prepare);
          return { object, isRejected: this.rejections.length > length };
        },
      },
      owner.metadata.namespace,
    );
  }

  /**
   * Declares a child that depends on others, or that others depend on; nothing happens before `apply`. It is deleted if
   * `desired` is false or undefined. A function is called when the children that it comes after are ready.
   */
  add<T extends KubernetesObject, Key extends ObjectKey, Given extends DesiredChild<T, Key>>(
    kind: Kind<T, Key>,
    child: string | ObjectKey,
    desired: Given & ExactChild<Given, T, Key>,
    options: NoInfer<ChildOptions<T, Key>> = {},
  ): Child<T, Key> {
    const key = this.#keyOf(kind, child, typeof desired === "object" ? desired.metadata : undefined);
    if (desired) this.#desired.add(identify(kind, key));
    return this.#order.add(kind, key, desired, options);
  }

  /**
   * Declares a child for each object, which has its name in its metadata. Children of the kind that are in no list any
   * more are deleted.
   */
  addEach<T extends KubernetesObject, Key extends ObjectKey, Given extends Desired<T, Key>>(
    kind: Kind<T, Key>,
    desired: readonly (Given & ExactDesired<Given, T, Key>)[],
    options: NoInfer<ChildOptions<T, Key>> = {},
  ): ChildGroup<T, Key> {
    const children = desired.map((one) => this.add<T, Key, Desired<T, Key>>(kind, keyOf(one), one, options));
    return this.#order.addGroup(kind, children, options);
  }

  /** Applies and deletes what was added, as far as it depends on nothing that is not ready, or not gone, yet. */
  async apply(): Promise<void> {
    await this.#order.apply();
  }

  /**
   * Deletes what was added, in order: for the cleanup of a finalizer. Returns when to look again; undefined when all are
   * gone. The owner must be watched with `owns`, so that the end of a child causes the next cleanup.
   */
  async delete(): Promise<{ requeueAfter: Duration } | undefined> {
    const isGone = await this.#order.delete();
    for (const { error } of this.rejections) throw error;
    return isGone ? undefined : { requeueAfter: `${maxRetry}s` };
  }

  /** A condition that is true when all children that were added are ready; its message says what they wait for. */
  condition(type: string): DesiredCondition {
    const { generation: observedGeneration } = this.#owner.metadata;
    return { type, ...conditionOf(this.#order.pending(), this.rejections), observedGeneration };
  }

  /**
   * A child as it is now; undefined if the object of that name belongs to another owner. A name alone is looked for in
   * the owner's namespace: a child of a cluster-scoped owner is found by its key.
   */
  async find<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    child: string | ObjectKey,
  ): Promise<Stored<T, Key> | undefined> {
    const object = await this.#client.find(kind, this.#keyOf(kind, child) as Key);
    return object && isOwnedBy(this.#owner, object) ? object : undefined;
  }

  /**
   * Applies the desired child, or deletes it if `desired` is undefined. Returns the child as it is afterwards. An
   * object of another owner is left alone; one without a controller is adopted if it has all labels of the desired one.
   * Children of a cluster-scoped owner have a namespace in their key, or in `desired.metadata`.
   */
  async set<T extends KubernetesObject, Key extends ObjectKey, Given extends Desired<T, Key> | undefined>(
    kind: Kind<T, Key>,
    child: string | ObjectKey,
    desired: Given & ExactDesired<Given, T, Key>,
    prepare?: BeforeApply<NoInfer<T>>,
  ): Promise<Stored<T, Key> | undefined> {
    const key = this.#keyOf(kind, child, desired?.metadata);
    if (!desired) {
      // One that remains until its finalizers are removed is none any more, but one that can't be deleted is.
      const { length } = this.rejections;
      const remaining = await this.#tryRemove(kind, key);
      return this.rejections.length > length ? remaining : undefined;
    }
    try {
      this.#desired.add(identify(kind, key));
      const live = prepare && (await this.find(kind, key));
      if (live) await this.#client.patch(kind, live, (draft) => prepare(draft as T, desired));
      const withKey = { ...(desired as object), metadata: { ...desired.metadata, ...key } } as Desired<
        T,
        Key
      >;
      return await this.#apply(kind, key, withKey);
    } catch (error) {
      this.rejections.push(asRejection(kind, error));
      return this.find(kind, key);
    }
  }

  /**
   * Deletes children of these kinds that were not set in this reconcile, for sets whose names change. One that the server
   * refuses to delete is a rejection.
   */
  async prune(...kinds: readonly Kind[]): Promise<void> {
    for (const kind of kinds) {
      for (const object of await this.#undesired(kind)) await this.#tryRemove(kind, keyOf(object));
    }
  }

  /**
   * The result for the reconcile. Rejected children are retried: a name conflict soon, because no event reports that
   * the other object was deleted; a rejection by the server less and less often, for as long as the condition that
   * reports it has held, up to every five minutes. A change of the owner or a child triggers an earlier reconcile.
   */
  result(condition: Condition | undefined): { requeueAfter: Duration } | undefined {
    if (this.rejections.length === 0) return undefined;
    // The clock that set the condition may be ahead of ours; the difference is still its approximate age.
    const since = condition ? Math.abs(this.#clock.now() - parseTime(condition.lastTransitionTime)) : 0;
    const hasNameConflict = this.rejections.some(({ reason }) => reason === nameConflictReason);
    const age = Math.round(since / 1000);
    const seconds = hasNameConflict ? minRetry : Math.min(Math.max(age, minRetry), maxRetry);
    return { requeueAfter: `${seconds}s` };
  }

  /** Applies a child. If another client has set an alternative field, replaces that by an update, and applies again. */
  async #apply<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: ObjectKey,
    desired: Desired<T, Key>,
  ): Promise<Stored<T, Key>> {
    const isTracked = isBeyond(this.#owner, key.namespace);
    if (isTracked) this.#assertFinalizer(kind, key);
    // A tracked child whose labels somebody has overwritten looks like an object of somebody else. With its uid, one that
    // somebody else has replaced since the cache has seen it is a conflict.
    const tracked = isTracked ? await this.find(kind, key) : undefined;
    const options = { owner: isTracked ? undefined : this.#owner, adoptOnlyMatching: !tracked };
    const metadata = isTracked ? trackingMetadata(this.#owner, desired.metadata) : desired.metadata;
    const identity = tracked && { uid: tracked.metadata.uid };
    const complete = { ...(desired as object), metadata: { ...metadata, ...identity } } as Desired<T, Key>;
    try {
      return await this.#client.apply(kind, complete, options);
    } catch (error) {
      const live = error instanceof ApiError && error.isInvalid && (await this.find(kind, key));
      if (!live) throw error;
      const change = (draft: WithoutStatus<T>): void => replaceAlternatives(draft, desired);
      const changed = await this.#client.patch(kind, live, change, { fieldManager: takeBackManager });
      if (changed === live) throw error;
      return await this.#disown(kind, await this.#client.apply(kind, complete, { ...options, live: true }));
    }
  }

  /** Takes the updated fields from `takeBackManager`: fields that an update owns stay when they are no longer applied. */
  async #disown<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    applied: Stored<T, Key>,
  ): Promise<Stored<T, Key>> {
    // Caches don't keep the managed fields.
    const live = await this.#client.find(kind, keyOf(applied) as Key, { live: true });
    const kept = live?.metadata.managedFields?.filter(({ manager }) => manager !== takeBackManager);
    if (!live || !kept || kept.length === 0) return applied;
    return this.#client.patch(kind, live, ({ metadata }) => {
      metadata.managedFields = kept;
    });
  }

  /** Deletes a child, or notes why it can't be deleted. Returns the child if it remains. */
  async #tryRemove<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T, Key> | undefined> {
    const object = await this.find(kind, key);
    if (!object) return undefined;
    try {
      await this.#delete(kind, object, options);
    } catch (error) {
      this.rejections.push(asRejection(kind, error));
    }
    return this.find(kind, key);
  }

  async #delete(kind: Kind, object: Stored<KubernetesObject, ObjectKey>, options?: DeleteOptions) {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    await this.#client.delete(kind, object, {
      preconditions: { uid },
      propagationPolicy: "Background",
      ...options,
    });
  }

  /** The owner's children of a kind that were not set or added, in all namespaces. */
  async #undesired(kind: Kind): Promise<Stored<KubernetesObject, ObjectKey>[]> {
    const owner = this.#owner;
    const { namespace, finalizers = [] } = owner.metadata;
    const hasFar = Boolean(namespace) && finalizers.includes(trackingFinalizer(owner));
    if (kind.scope === "Cluster" && namespace && !hasFar) return [];
    try {
      const owned = await this.#client.list(kind, { owner, namespace: hasFar ? undefined : namespace });
      return owned.filter((object) => !this.#desired.has(identify(kind, keyOf(object))));
    } catch (error) {
      // A kind whose CRD is gone has no objects.
      if (error instanceof ApiError && error.isNotFound) return [];
      throw error;
    }
  }

  /** Without its finalizer, nobody would delete what the owner has elsewhere. */
  #assertFinalizer({ kind }: Kind, key: ObjectKey): void {
    const { metadata, kind: ownerKind } = this.#owner;
    if (metadata.finalizers?.includes(trackingFinalizer(this.#owner))) return;
    throw new TerminalError(
      `the ${kind} "${formatKey(key)}" is out of reach of an owner reference to the ${ownerKind} ` +
        `"${formatKey(metadata)}": call owns(${kind}, { byLabel: true }) on its controller's builder`,
    );
  }

  #keyOf(
    kind: Kind,
    child: string | ObjectKey,
    desired: Desired<KubernetesObject>["metadata"] = {},
  ): ObjectKey {
    const { name, namespace = desired.namespace ?? this.#owner.metadata.namespace } =
      typeof child === "string" ? { name: child } : child;
    if (kind.scope === "Cluster") return { name };
    if (namespace !== undefined) return { namespace, name };
    throw new TerminalError(
      `the ${kind.kind} "${name}" needs a namespace, since its owner has none: write { namespace, name }`,
    );
  }
}

/**
 * Fields of which an object may have only one. The API server rejects ours if another client has set a different one,
 * and an apply can't remove fields that we don't own.
 */
const alternatives: readonly (readonly string[])[] = [
  // How a probe asks.
  ["exec", "grpc", "httpGet", "tcpSocket"],
  // Where a variable's value is from.
  ["value", "valueFrom"],
  // A PodDisruptionBudget has one of the two.
  ["maxUnavailable", "minAvailable"],
];

/** Removes alternatives of the desired object's fields, recursively; edits the draft. */
function replaceAlternatives(draft: unknown, desired: unknown): void {
  if (Array.isArray(draft) && Array.isArray(desired)) return replaceInItems(draft, desired);
  if (!isObject(draft) || !isObject(desired)) return;
  for (const names of alternatives) {
    const ours = names.find((name) => desired[name] !== undefined);
    const others = names.filter((name) => draft[name] !== undefined && desired[name] === undefined);
    if (ours === undefined || others.length === 0) continue;
    for (const name of others) delete draft[name];
    draft[ours] = desired[ours];
  }
  for (const [name, value] of Object.entries(desired)) replaceAlternatives(draft[name], value);
}

/** Replaces alternatives in the items that both lists have, such as containers and variables, by name. */
function replaceInItems(draft: readonly unknown[], desired: readonly unknown[]): void {
  for (const item of desired) {
    if (!isObject(item) || item["name"] === undefined) continue;
    const same = draft.find((candidate) => isObject(candidate) && candidate["name"] === item["name"]);
    replaceAlternatives(same, item);
  }
}

/** The field manager of the update that removes another client's fields before our apply is sent again. */
const takeBackManager = "taking-back";
const nameConflictReason = "NameConflict";

/** Seconds between retries of rejected children. */
const minRetry = 15;
const maxRetry = 300;

/** Converts an error of the child itself to a rejection. Throws any other, such as a conflict or a lost connection. */
function asRejection(kind: Kind, error: unknown): Rejection {
  if (!(error instanceof ApiError)) throw error;
  const { message = error.message } = error.body;
  if (error.isAlreadyOwned) return { reason: nameConflictReason, message, error };
  if (error.isNotFound && error.body.details?.kind === "namespaces")
    return { reason: "NamespaceMissing", message, error };
  // The response about an object that is missing names it; that about a path that is none does not.
  if (error.isNotFound && !error.body.details?.name) {
    const missing = `the cluster doesn't serve ${kind.kind} (${kind.apiVersion})`;
    return { reason: "KindMissing", message: missing, error };
  }
  if (error.isInvalid || error.isForbidden || error.status === 400) {
    return { reason: `${kind.kind}Rejected`, message, error };
  }
  throw error;
}

interface Port {
  port: number;
  protocol?: string | undefined;
  nodePort?: number | undefined;
}

/** The ports of a Service; this module doesn't import built-in kinds. */
interface WithPorts {
  spec?: { ports?: Port[] | undefined } | undefined;
}

/**
 * Removes ports that another client added to a Service; see `BeforeApply`. An apply merges the list by port and
 * protocol: it keeps foreign ports, and the server rejects ours if a port edited by hand still has our name and node
 * port. Existing desired ports keep their node ports; new ones get theirs by the apply.
 */
export function pruneServicePorts(
  draft: WithPorts,
  desired: { readonly spec?: { readonly ports?: readonly object[] | undefined } | undefined },
): void {
  const wanted = (desired.spec?.ports ?? []) as readonly Port[];
  const present = new Map(draft.spec?.ports?.map((port) => [portId(port), port]));
  const wantedIds = new Set(wanted.map(portId));
  if ([...present.keys()].every((id) => wantedIds.has(id))) return;
  draft.spec!.ports = wanted.map((port) => present.get(portId(port)) ?? { ...port, nodePort: undefined });
}

function portId({ port, protocol = "TCP" }: Port): string {
  return `${port}/${protocol}`;
}
