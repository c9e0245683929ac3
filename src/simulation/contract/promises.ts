import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ContainerCommand } from "./scenario.ts";
import type { State } from "./state.ts";

/**
 * What must hold in every run, beside the rules by which all operators are judged. Each promise has a name, which a failure
 * repeats: say in it what must, or must not, be.
 */
export interface Promises {
  /** Must hold after each effect, and at all times until the next one. */
  readonly always?: { readonly [name: string]: Check };
  /** Must not hold after any effect, nor at any time until the next one. */
  readonly never?: { readonly [name: string]: Check };
  /** Must hold whenever everything rests before the deletion: after the steps, and after the restart. */
  readonly eventually?: { readonly [name: string]: Check };
  /** Must hold once everything rests after the deletion of all that the steps applied. */
  readonly afterDeletion?: { readonly [name: string]: Check };
  /** Names the operators' effects that must not happen twice. Those that it returns undefined for don't count. */
  readonly atMostOnce?: { readonly [name: string]: (effect: Effect) => string | undefined };
  /** Whenever the one holds, the other must hold then or later. */
  readonly leadsTo?: { readonly [name: string]: LeadsTo };
}

/** A check of the state. `effect` has just led to it; undefined if time has passed since then. */
export type Check = (state: State, effect?: Effect) => boolean;

/** One thing leads to another: of the whole state, or of each of some objects. */
export type LeadsTo = {
  /**
   * The time that it may take, such as `5m`. Faults stop it: it begins again once the last of them is over. Default: as long
   * as it takes until everything rests.
   */
  readonly within?: string | number;
} & (
  | { readonly when: Check; readonly follows: (state: State) => boolean }
  | {
      readonly each: (state: State) => readonly KubernetesObject[];
      /** Is asked about each object that `each` has returned, as it was then, until it returns true: also once that is gone. */
      readonly follows: (state: State, object: KubernetesObject) => boolean;
    }
);

/** Something that took effect: a write to the cluster, or a call that changed an external system. */
export type Effect = {
  /** The process, such as `shop-0`; `user`, or `cluster` for its own controllers. */
  readonly by: string;
} & (
  | {
      /** `delete`: the object is gone. One with finalizers gets its `deletionTimestamp` by an `update` before. */
      readonly type: "create" | "update" | "delete";
      readonly object: KubernetesObject;
      /** The object before an update. */
      readonly before?: KubernetesObject;
    }
  | {
      readonly type: "fetch";
      /** The name of the external system. */
      readonly system: string;
      readonly method: string;
      readonly url: string;
      readonly body: string;
    }
  | ({ readonly type: "exec"; readonly system: string } & Omit<ContainerCommand, "options">)
);
