import {
  type Condition,
  type Duration,
  findController,
  type Kind,
  type KubernetesObject,
} from "@tsbuilder/apimachinery/meta";
import { type Clock, parseTime, systemClock } from "@tsbuilder/apimachinery/time";
import { replaceAlternatives } from "./alternatives.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Client } from "./client.ts";
import type { Desired } from "./desired.ts";
import { keyOf, keyText } from "./object-key.ts";
import type { Owner } from "./options.ts";

/** Something that keeps a child from being what is desired: a reason and a message for a condition. */
export interface Rejection {
  /** `NameConflict` if the name is somebody else's, and `<Kind>Rejected` if the server refuses the child. */
  readonly reason: string;
  readonly message: string;
  /** What was thrown in the first place. */
  readonly error: ApiError;
}

/** Changes to a child that is there which an apply can't make, made before it: edits the draft. */
export type Preparation<T extends KubernetesObject> = (draft: T, desired: Desired<T>) => void;

/**
 * The objects that an owner controls, in one pass of its reconciler. Each is set on its own: one that the server
 * refuses, or whose name is taken, becomes a rejection, and the others are set all the same. Anything else that fails
 * is thrown, and the pass made again.
 *
 * What belongs to the owner is told by the owner references in the cluster, so nothing is forgotten over a restart.
 */
export class Children {
  /** What was refused in this pass. */
  readonly rejections: Rejection[] = [];
  readonly #client: Client;
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #desired = new Set<string>();

  /** `clock` says how long a condition has held: `manager.clock`, where tests move it. */
  constructor(
    client: Client,
    owner: Owner,
    { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
  ) {
    this.#client = client;
    this.#owner = owner;
    this.#clock = clock;
  }

  /** A child as it is now; an object of that name that is not the owner's is none. */
  async find<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    const object = await this.#client.find(kind, { namespace: this.#owner.metadata.namespace, name });
    return object && this.#controls(object) ? object : undefined;
  }

  /**
   * Makes a child what is desired, or takes it away where nothing is; gives it as it is then. A stranger's object of
   * the name is left alone; one that nobody controls is taken up if it has all labels of the desired one.
   */
  async set<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    desired: NoInfer<Desired<T>> | undefined,
    prepare?: Preparation<NoInfer<T>>,
  ): Promise<T | undefined> {
    try {
      if (!desired) return await this.#remove(kind, name);
      this.#desired.add(identify(kind, name));
      const live = prepare && (await this.find(kind, name));
      if (live) await this.#client.patch(kind, live, (draft) => prepare(draft, desired));
      const named = { ...(desired as object), metadata: { ...desired.metadata, name } } as Desired<T>;
      return await this.#apply(kind, name, named);
    } catch (error) {
      this.rejections.push(asRejection(kind, error));
      return this.find(kind, name);
    }
  }

  /** Deletes the children of these kinds that were not set in this pass, for sets whose names change. */
  async prune(...kinds: readonly Kind[]): Promise<void> {
    for (const kind of kinds) {
      const namespace = kind.scope === "Namespaced" ? this.#owner.metadata.namespace : undefined;
      for (const object of await this.#client.list(kind, { namespace })) {
        const { name = "", deletionTimestamp } = object.metadata;
        if (!this.#controls(object) || deletionTimestamp) continue;
        if (!this.#desired.has(identify(kind, name))) await this.#delete(kind, object);
      }
    }
  }

  /**
   * What a reconcile returns. What was rejected is tried again: a name soon, for nobody tells when a stranger's object
   * goes, and what the server refuses ever more rarely, for as long as the condition that tells of it has held, up to
   * five minutes. A change of the owner or of a child comes sooner.
   */
  result(condition: Condition | undefined): { requeueAfter: Duration } | undefined {
    if (this.rejections.length === 0) return undefined;
    const since = condition ? this.#clock.now() - parseTime(condition.lastTransitionTime) : 0;
    const isName = this.rejections.some(({ reason }) => reason === nameConflict);
    const seconds = isName ? soon : Math.min(Math.max(Math.round(since / 1000), soon), rarely);
    return { requeueAfter: `${seconds}s` };
  }

  async #apply<T extends KubernetesObject>(kind: Kind<T>, name: string, desired: Desired<T>): Promise<T> {
    const options = { owner: this.#owner, leaveStrangers: true };
    try {
      return await this.#client.apply(kind, desired, options);
    } catch (error) {
      const live = error instanceof ApiError && error.isInvalid && (await this.find(kind, name));
      if (!live) throw error;
      const change = (draft: T): void => replaceAlternatives(draft, desired);
      const changed = await this.#client.patch(kind, live, change, { fieldManager: takingBack });
      if (changed === live) throw error;
      return await this.#disown(kind, await this.#client.apply(kind, desired, { ...options, live: true }));
    }
  }

  /** What an update has set stays when it leaves what is applied, so an apply alone must have set it in the end. */
  async #disown<T extends KubernetesObject>(kind: Kind<T>, applied: T): Promise<T> {
    // Caches don't keep who manages what.
    const live = await this.#client.find(kind, keyOf(applied), { live: true });
    const kept = live?.metadata.managedFields?.filter(({ manager }) => manager !== takingBack);
    if (!live || !kept || kept.length === 0) return applied;
    return this.#client.patch(kind, live, ({ metadata }) => {
      metadata.managedFields = kept;
    });
  }

  async #remove<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<undefined> {
    const object = await this.find(kind, name);
    if (object && !object.metadata.deletionTimestamp) await this.#delete(kind, object);
  }

  async #delete(kind: Kind, object: KubernetesObject): Promise<void> {
    const preconditions = { uid: object.metadata.uid };
    await this.#client.delete(kind, object, { preconditions, propagationPolicy: "Background" });
  }

  #controls(object: KubernetesObject): boolean {
    return findController(object)?.uid === this.#owner.metadata.uid;
  }
}

/** Sets fields for a moment, between whoever put others in their place and us. */
const takingBack = "taking-back";

const nameConflict = "NameConflict";

/** Seconds between attempts at what was rejected. */
const soon = 15;
const rarely = 300;

/** What the server refuses belongs into a status; a lost race or a lost connection is tried again as an error. */
function asRejection(kind: Kind, error: unknown): Rejection {
  if (!(error instanceof ApiError)) throw error;
  const { message = error.message } = error.body;
  if (error.isAlreadyOwned) return { reason: nameConflict, message, error };
  if (error.isInvalid || error.isForbidden || error.status === 400) {
    return { reason: `${kind.kind}Rejected`, message, error };
  }
  throw error;
}

function identify(kind: Kind, name: string): string {
  return `${kind.apiVersion}/${kind.kind}/${keyText({ name })}`;
}
