// The order of children: which are applied, which are deleted, and which wait for others. Each pass looks at what is
// there and decides anew, so nothing has to be remembered between passes.

import type { DesiredCondition, Kind, KubernetesObject, Condition } from "@tsbuilder/apimachinery/meta";
import { findCondition, isConditionTrue, podProblem } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/api-error.ts";
import type { Desired, ExactDesired, MutateFn, ObjectKey, Stored } from "./client.ts";
import { formatKey } from "./client.ts";

/** Changes an existing child before the apply, in ways that an apply can't; edits the draft. */
export type BeforeApply<T extends KubernetesObject> = (
  draft: T,
  desired: Desired<T>,
) => ReturnType<MutateFn<T>>;

/** How a child depends on others. They were added before it, so there are no cycles. */
export interface ChildOptions<T extends KubernetesObject, Key extends ObjectKey = ObjectKey> {
  /**
   * Apply this child when these are ready: until then it stays as it is, or absent. A child that is not desired is ready
   * when it is gone.
   */
  readonly after?: ChildSelection | undefined;
  /**
   * When others may go on. Default: workloads when they are rolled out, Jobs when they are complete, Pods when they are
   * ready, everything else when it exists. An object that is being deleted, or whose status is of an earlier generation,
   * is not ready.
   */
  readonly readyWhen?: ((object: Stored<T, Key>) => boolean) | undefined;
  /** Delete these when this child is gone, with its dependents such as pods. */
  readonly deletedBefore?: ChildSelection | undefined;
  /** See `BeforeApply`. */
  readonly prepare?: BeforeApply<T> | undefined;
}

/** Children that another one depends on. */
export type ChildSelection = ChildDependency | readonly ChildDependency[];
type ChildDependency = Child | ChildGroup;

/** A child that was added. */
export interface Child<T extends KubernetesObject = KubernetesObject, Key extends ObjectKey = ObjectKey> {
  /** The child as it is; undefined before `apply`, and if there is none. */
  readonly object: Stored<T, Key> | undefined;
  /** True if the child is as desired, and ready. */
  readonly isReady: boolean;
}

/** The children that were added by one list. */
export interface ChildGroup<
  T extends KubernetesObject = KubernetesObject,
  Key extends ObjectKey = ObjectKey,
> {
  readonly children: readonly Child<T, Key>[];
  /** True if all children of the list are ready. */
  readonly isReady: boolean;
}

/** The desired state of a child. Without one, the child is deleted. A function is called when the child's turn comes. */
export type DesiredChild<T extends KubernetesObject, Key extends ObjectKey = ObjectKey> =
  | Desired<T, Key>
  | (() => Desired<T, Key> | false | undefined)
  | false
  | undefined;

/** `Exact` for a child. */
export type ExactChild<Given, T extends KubernetesObject, Key extends ObjectKey> = [Desired<T, Key>] extends [
  Given,
]
  ? unknown
  : Given extends () => infer Returned
    ? () => ExactDesired<Returned, T, Key>
    : ExactDesired<Given, T, Key>;

/** The requests for a single child. */
export interface ChildActions {
  find(kind: Kind, key: ObjectKey): Promise<AnyStored | undefined>;
  /** Returns the child afterwards, and whether the server has rejected it. */
  apply(
    kind: Kind,
    key: ObjectKey,
    desired: Desired<KubernetesObject>,
    prepare: BeforeApply<KubernetesObject> | undefined,
  ): Promise<{ readonly object: AnyStored | undefined; readonly isRejected: boolean }>;
  /** Deletes a child; returns it if it remains for a while. */
  remove(
    kind: Kind,
    key: ObjectKey,
    propagationPolicy: "Foreground" | "Background",
  ): Promise<AnyStored | undefined>;
  /** Returns the keys of the owner's children of a kind that were not added. */
  listStrays(kind: Kind): Promise<readonly ObjectKey[]>;
}

/** The children of one pass, in the order in which they were added. */
export class ChildOrder {
  readonly #actions: ChildActions;
  /** The namespace that messages omit. */
  readonly #namespace: string | undefined;
  /** By kind and key, in the order in which they were added. */
  readonly #children = new Map<string, OrderedChild>();
  readonly #groups: OrderedGroup[] = [];

  constructor(actions: ChildActions, namespace: string | undefined) {
    this.#actions = actions;
    this.#namespace = namespace;
  }

  add<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    key: ObjectKey,
    wanted: DesiredChild<T, Key>,
    options: ChildOptions<T, Key>,
  ): Child<T, Key> {
    const id = identify(kind, key);
    if (this.#children.has(id)) throw new TerminalError(`${kind.kind} "${formatKey(key)}" was added twice`);
    const child = new OrderedChild(kind, key, wanted, options as AnyOptions);
    this.#children.set(id, child);
    return child as unknown as Child<T, Key>;
  }

  addGroup<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    children: readonly Child<T, Key>[],
    options: ChildOptions<T, Key>,
  ): ChildGroup<T, Key> {
    const group = new OrderedGroup(kind, children as unknown as OrderedChild[], options as AnyOptions);
    this.#groups.push(group);
    return group as unknown as ChildGroup<T, Key>;
  }

  /** Deletes what is not desired, last first, and applies what is, first first. */
  async apply(): Promise<void> {
    const children = [...this.#children.values()];
    const unwanted = children.filter(({ wanted }) => !wanted);
    await this.#removeAll([...unwanted, ...(await this.#strays())]);
    // A child is added after its dependencies, whose state doesn't change any more. Large groups are asked once.
    const readiness = new Map<Dependency, boolean>();
    const isReady = (one: Dependency): boolean => {
      const known = readiness.get(one) ?? one.isReady;
      readiness.set(one, known);
      return known;
    };
    for (const child of children) if (child.wanted) await this.#apply(child, isReady);
  }

  /** Deletes all, last first. Returns whether all are gone. */
  async delete(): Promise<boolean> {
    const all = [...this.#children.values(), ...(await this.#strays())];
    await this.#removeAll(all);
    return all.every(({ state }) => state.phase === "gone");
  }

  /** Returns what the pass waits for; empty if every child is ready. Rejections are not in it. */
  pending(): readonly string[] {
    const waitsFor = new Set<OrderedChild>();
    const seen = new Set<Dependency>();
    for (const child of this.#children.values()) {
      const { state } = child;
      if (state.phase === "undecided" || (state.phase === "applied" && !child.isReady)) waitsFor.add(child);
      if (state.phase !== "waiting") continue;
      for (const dependency of state.for) {
        if (seen.has(dependency)) continue;
        seen.add(dependency);
        const others = dependency instanceof OrderedGroup ? dependency.children : [dependency];
        for (const other of others) if (!other.isReady) waitsFor.add(other);
      }
    }
    return [...waitsFor].flatMap((child) => this.#describe(child) ?? []);
  }

  async #apply(child: OrderedChild, isReady: (dependency: Dependency) => boolean): Promise<void> {
    const { kind, key, wanted, options } = child;
    const unready = dependenciesOf(options.after).filter((one) => !isReady(one));
    if (unready.length > 0) {
      child.object = await this.#actions.find(kind, key);
      child.state = { phase: "waiting", for: unready };
      return;
    }
    const desired = typeof wanted === "function" ? wanted() : wanted;
    if (!desired) return this.#removeAll([child]);
    const { object, isRejected } = await this.#actions.apply(kind, key, desired, options.prepare);
    child.object = object;
    child.state =
      isRejected || !object
        ? { phase: "rejected" }
        : { phase: "applied", readiness: observe(object, options.readyWhen) };
  }

  /** Deletes children, unless one that is deleted before them is still there: its end causes the next pass. */
  async #removeAll(doomed: readonly OrderedChild[]): Promise<void> {
    /** How many children that are still there are deleted before each. */
    const holders = new Map<Dependency, number>();
    const count = (child: OrderedChild, change: number): void => {
      for (const dependency of dependenciesOf(child.options.deletedBefore))
        holders.set(dependency, (holders.get(dependency) ?? 0) + change);
    };
    for (const child of doomed) {
      child.object = await this.#actions.find(child.kind, child.key);
      if (child.object) count(child, 1);
    }
    for (const child of doomed.toReversed()) {
      if (child.object && ![child, ...child.groups].some((one) => holders.get(one))) {
        await this.#remove(child);
        if (!child.object) count(child, -1);
      }
      child.state = { phase: child.object ? "deleting" : "gone" };
    }
  }

  async #remove(child: OrderedChild): Promise<void> {
    const { kind, key, options } = child;
    // With the policy Foreground, the child remains until its dependents are gone.
    const policy = dependenciesOf(options.deletedBefore).length > 0 ? "Foreground" : "Background";
    child.object = await this.#actions.remove(kind, key, policy);
  }

  /** Children of the groups' kinds that no list has any more, such as those of a name that was removed. */
  async #strays(): Promise<OrderedChild[]> {
    const kinds = new Set(this.#groups.map(({ kind }) => kind));
    const strays: OrderedChild[] = [];
    for (const kind of kinds) {
      const groups = this.#groups.filter((group) => group.kind === kind);
      const deletedBefore = groups.flatMap(({ options }) => dependenciesOf(options.deletedBefore));
      for (const key of await this.#actions.listStrays(kind)) {
        // One that was added by itself, and is not desired, has its own place in the order.
        if (this.#children.has(identify(kind, key))) continue;
        const stray = new OrderedChild(kind, key, undefined, { deletedBefore });
        // Nothing tells in which of several lists it was: strays would wait for each other, and themselves.
        stray.groups = groups.length === 1 ? groups : [];
        strays.push(stray);
      }
    }
    return strays;
  }

  #describe({ kind, key, state }: OrderedChild): string | undefined {
    const name = `${kind.kind} ${key.namespace === this.#namespace ? key.name : formatKey(key)}`;
    switch (state.phase) {
      case "undecided":
        return name;
      case "applied":
        return state.readiness.message === "" ? name : `${name}: ${state.readiness.message}`;
      case "deleting":
        return `the deletion of ${name}`;
      case "waiting":
      case "rejected":
      case "gone":
        // Another child is the cause, or the rejection is.
        return undefined;
    }
  }
}

/** Options of children of any kind. */
type AnyOptions = ChildOptions<KubernetesObject>;

/** A child of any kind. */
type AnyStored = Stored<KubernetesObject, ObjectKey>;

type ChildState =
  /** The pass has not come to it, or has failed before. */
  | { readonly phase: "undecided" }
  /** Not applied, because others are not ready. */
  | { readonly phase: "waiting"; readonly for: readonly Dependency[] }
  | { readonly phase: "applied"; readonly readiness: Readiness }
  | { readonly phase: "rejected" }
  /** Not desired, and still there. */
  | { readonly phase: "deleting" }
  | { readonly phase: "gone" };

class OrderedChild implements Child {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly wanted: DesiredChild<KubernetesObject>;
  readonly options: AnyOptions;
  object: AnyStored | undefined;
  state: ChildState = { phase: "undecided" };
  groups: readonly OrderedGroup[] = [];

  constructor(kind: Kind, key: ObjectKey, wanted: DesiredChild<KubernetesObject>, options: AnyOptions) {
    this.kind = kind;
    this.key = key;
    this.wanted = wanted;
    this.options = options;
  }

  get isReady(): boolean {
    return this.state.phase === "gone" || (this.state.phase === "applied" && this.state.readiness.isReady);
  }
}

class OrderedGroup implements ChildGroup {
  readonly kind: Kind;
  readonly children: readonly OrderedChild[];
  readonly options: AnyOptions;

  constructor(kind: Kind, children: readonly OrderedChild[], options: AnyOptions) {
    this.kind = kind;
    this.children = children;
    this.options = options;
    for (const child of children) child.groups = [this];
  }

  get isReady(): boolean {
    return this.children.every(({ isReady }) => isReady);
  }
}

type Dependency = OrderedChild | OrderedGroup;

function dependenciesOf(selection: ChildSelection = []): readonly Dependency[] {
  return (Array.isArray(selection) ? selection : [selection]) as Dependency[];
}

/** Identifies a child among those of its owner. */
export function identify(kind: Kind, key: ObjectKey): string {
  return `${kind.apiVersion}/${kind.kind}/${formatKey(key)}`;
}

function observe(object: AnyStored, readyWhen: AnyOptions["readyWhen"]): Readiness {
  const known = readinessOf(object);
  if (!readyWhen || lateness(object) !== undefined) return known;
  const isReady = readyWhen(object);
  return { isReady, message: known.isReady ? "" : known.message };
}

/** How many children, and how many rejections, a condition names: the API server limits the length of its message. */
const named = 3;

/** Returns a condition that says what the children wait for. */
export function conditionOf(
  pending: readonly string[],
  rejections: readonly { readonly reason: string; readonly message: string }[],
): Pick<DesiredCondition, "status" | "reason" | "message"> {
  const [rejection] = rejections;
  const parts = firstOf(rejections.map(({ message }) => message));
  if (pending.length > 0) parts.push(`waits for ${firstOf(pending).join("; ")}`);
  const message = parts.join("; ");
  if (rejection) return { status: "False", reason: rejection.reason, message };
  if (pending.length > 0) return { status: "False", reason: "WaitingForChildren", message };
  return { status: "True", reason: "ChildrenReady", message };
}

/** The first texts, and how many there are besides. */
function firstOf(texts: readonly string[]): string[] {
  const more = texts.length > named ? [`and ${texts.length - named} more`] : [];
  return [...texts.slice(0, named), ...more];
}

/** Whether an object does what it is there for, and what is missing if it doesn't. */
interface Readiness {
  readonly isReady: boolean;
  /** Empty if nothing can be said: `1 of 3 ready`. */
  readonly message: string;
}

/** The fields of built-in kinds that tell whether they are ready. */
interface Observable extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly phase?: string;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * Returns whether an object is ready. Workloads are ready when they are rolled out, Pods when they serve or have
 * succeeded, and Jobs when they are complete. An object of any other kind is ready when it exists: nothing that all
 * kinds have says more. A status of an earlier generation never counts.
 */
export function readinessOf(object: KubernetesObject): Readiness {
  const late = lateness(object);
  if (late !== undefined) return { isReady: false, message: late };
  const { status = {} } = object as Observable;
  switch (`${object.apiVersion} ${object.kind}`) {
    case "apps/v1 Deployment":
    case "apps/v1 ReplicaSet":
    case "apps/v1 StatefulSet":
    case "v1 ReplicationController":
      return replicasReadiness(object);
    case "apps/v1 DaemonSet": {
      const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status;
      const { type } = (object as Observable).spec?.updateStrategy ?? {};
      // With OnDelete, pods keep their revision until somebody deletes them.
      const updated = type === "OnDelete" ? desiredNumberScheduled : updatedNumberScheduled;
      return countReadiness(desiredNumberScheduled, updated, numberAvailable);
    }
    case "batch/v1 Job": {
      const failed = findCondition(status.conditions, "Failed");
      if (failed?.status === "True") return { isReady: false, message: `failed: ${failed.message}` };
      return { isReady: isConditionTrue(status.conditions, "Complete"), message: "not complete" };
    }
    case "v1 Pod":
      return {
        isReady: status.phase === "Succeeded" || isConditionTrue(status.conditions, "Ready"),
        message: podProblem(object)?.message ?? status.phase ?? "",
      };
    default:
      return { isReady: true, message: "" };
  }
}

/** Returns why the status of an object doesn't count; undefined if it does. */
function lateness(object: KubernetesObject): string | undefined {
  const { generation = 0, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return "it is being deleted";
  // A kind without the field says nothing about its generation; a new workload has no status yet.
  const { observedGeneration } = (object as Observable).status ?? {};
  const observed = observedGeneration ?? (object.apiVersion === "apps/v1" ? 0 : generation);
  return observed < generation ? "its last change is not observed yet" : undefined;
}

function replicasReadiness(object: KubernetesObject): Readiness {
  const { kind, spec = {}, status = {} } = object as Observable;
  const { replicas: wanted = 1, updateStrategy = {} } = spec;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, availableReplicas } = status;
  const ready = availableReplicas ?? readyReplicas;
  switch (kind) {
    case "Deployment": {
      const counted = countReadiness(wanted, updatedReplicas, ready);
      if (!counted.isReady || replicas <= updatedReplicas) return counted;
      return { isReady: false, message: `${replicas - updatedReplicas} old pods are not gone` };
    }
    case "StatefulSet": {
      const { type = "RollingUpdate", rollingUpdate = {} } = updateStrategy;
      // Pods below the partition keep their revision, and with OnDelete all do until somebody deletes them.
      const toUpdate = type === "OnDelete" ? 0 : wanted - (rollingUpdate.partition ?? 0);
      return updatedReplicas < toUpdate
        ? { isReady: false, message: `${updatedReplicas} of ${toUpdate} updated` }
        : countReadiness(wanted, wanted, readyReplicas);
    }
    default:
      return countReadiness(wanted, wanted, ready);
  }
}

function countReadiness(wanted: number, updated: number, ready: number): Readiness {
  if (updated < wanted && ready >= wanted)
    return { isReady: false, message: `${updated} of ${wanted} updated` };
  return { isReady: ready >= wanted && updated >= wanted, message: `${ready} of ${wanted} ready` };
}
