import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Promises } from "./promises.ts";
import type { Step } from "./scenario.ts";
import type { LeftOut, Ref, State } from "./state.ts";

/** The record of one run: everything that is judged and compared afterwards. */
export interface Run {
  readonly seed: number;
  readonly trace: readonly TraceEvent[];
  /** The objects after the steps, once everything has come to rest; without the objects that every cluster has. */
  readonly state: State;
  /** The part of the state that only the cluster's own controllers wrote. It depends on the way to the state, too. */
  readonly derived: LeftOut;
  /** The objects that remain after everything that the steps created has been deleted. */
  readonly leftovers: readonly KubernetesObject[];
  /** All objects after the deletion; those that the cluster's own controllers made, too. */
  readonly remaining: readonly KubernetesObject[];
  /** Steps that the API server rejected. */
  readonly rejected: readonly Step[];
  /** The number of writes by process; faults are aimed at them. */
  readonly writes: { readonly [process: string]: number };
  /** The number of reads and writes by process. */
  readonly requests: { readonly [process: string]: number };
  /** The number of calls of external systems by process. */
  readonly calls: { readonly [process: string]: number };
  /** The states before the deletion of the first of several objects, and once everything rests after it. */
  readonly withoutOne?: { readonly deleted: Ref; readonly before: State; readonly after: State };
  /** The things that external systems still hold after the deletion, in words. */
  readonly leftOutside: readonly string[];
  /** What external systems held from the beginning until the deletion, and no longer hold, in words. */
  readonly lostOutside: readonly string[];
  /** The number of writes by the scenario's controllers of the cluster. */
  readonly controllerWrites: number;
  /** The kinds of writes that processes made, such as `shop: PATCH ConfigMap`. */
  readonly writePoints: readonly string[];
  /** The write points at which a process died. */
  readonly diedAt: readonly string[];
  /** Virtual milliseconds from the start to the end of the run. */
  readonly duration: number;
}

/**
 * The phases of a run: the steps, a restart of all processes, a hundred days in which only what is due by itself happens,
 * another restart, and the deletion of everything that the steps created.
 */
export type Phase = "steps" | "restart" | "months" | "late restart" | "deletion";

/** A release of an operator: that of the scenario, or one of the others that it has. */
export type ReleaseName = "present" | "former" | "next";

/** One entry of a trace. The scenario and its seed decide the whole trace, byte for byte. */
export type TraceEvent = { readonly at: number } & (
  | { readonly type: "start" | "died" | "leads"; readonly process: string }
  /** The Lease of a sharding process claims these shards from now on; `claims` is empty once the Lease is deleted. */
  | { readonly type: "claims"; readonly process: string; readonly lease: string; readonly claims: string }
  /** A phase has ended. If the operators don't rest, `busy` names the processes that still work. */
  | {
      readonly type: "phase";
      readonly phase: Phase;
      readonly rests: boolean;
      readonly busy?: readonly string[];
    }
  | {
      readonly type: "promise";
      readonly promise: keyof Promises;
      readonly name: string;
      /** The object, or the effect, that broke it, if the promise speaks of one. */
      readonly about?: string;
    }
  | { readonly type: "fault"; readonly text: string }
  | {
      readonly type: "step";
      readonly text: string;
      readonly status: number;
      /** The server's message if it rejected the step. */
      readonly message?: string;
    }
  /** The API server refused an object of a release, such as its CRD. */
  | {
      readonly type: "refused-install";
      readonly operator: string;
      readonly release: ReleaseName;
      readonly object: string;
      readonly message: string;
    }
  | {
      readonly type: "request";
      readonly process: string;
      readonly method: string;
      readonly path: string;
      /** The method, and the kind of the object: `PATCH Shop/status`. */
      readonly kind: string;
      readonly body?: string | undefined;
      /** The object that it writes: `ConfigMap.v1 default/shop`. */
      readonly object?: string;
      /** The status of the answer; 0 if there was none. The event is recorded when the client stops waiting. */
      readonly status: number;
    }
  /** A process called an external system. */
  | {
      readonly type: "call";
      readonly process: string;
      /** The name of the system. */
      readonly to: string;
      /** The method and the URL, or the command and the pod. */
      readonly text: string;
      /** The status of the answer, or the exit code; undefined if there was none. */
      readonly status: number | undefined;
      /** The call changed the state of the system, and did not just read it. */
      readonly isChange: boolean;
    }
  /** The API server called a webhook. */
  | {
      readonly type: "webhook";
      /** The process that got the call. */
      readonly process: string | undefined;
      readonly path: string;
      /** The status of the answer; 0 if there was none. */
      readonly status: number;
    }
  | {
      readonly type: "watch";
      readonly process: string;
      readonly path: string;
      readonly event: string;
      readonly key: string;
    }
  | {
      readonly type: "change";
      readonly by: string;
      readonly change: "ADDED" | "MODIFIED" | "DELETED";
      readonly resource: string;
      readonly key: string;
      readonly uid: string;
      /** The fields that differ from before; `metadata.finalizers` if the removal of the last finalizer deleted it. */
      readonly fields: readonly string[];
      /** The uids of the controlling owner before and after the change. */
      readonly owners: readonly [before: string | undefined, after: string | undefined];
    }
  | {
      readonly type: "log";
      readonly process: string;
      readonly level: "warn" | "error";
      readonly message: string;
      readonly error?: string | undefined;
      readonly object?: string | undefined;
    }
);

/** The class of a mistake; `advice.ts` says what each means, and how to prevent it. */
export type MistakeClass =
  | "interrupted"
  | "stale-view"
  | "missed-event"
  | "unretried"
  | "lost-answer"
  | "handover"
  | "suspended"
  | "wrong-clock"
  | "drift"
  | "upgrade"
  | "rollback"
  | "tightened"
  | "history"
  | "stuck"
  | "collision"
  | "order"
  | "hot-loop"
  | "fight"
  | "hang"
  | "overdue"
  | "leftover"
  | "foreign-object"
  | "forbidden"
  | "error"
  | "observed-generation"
  | "conditions"
  | "without-lease"
  | "promise";

/** A mistake that a run shows. */
export interface Verdict {
  readonly class: MistakeClass;
  readonly message: string;
  /** The objects that show it: `ConfigMap.v1 default/shop`. */
  readonly objects: readonly string[];
}

/** Returns the events of a phase: those after the end of the phase before. There are none if the run didn't come to its end. */
export function eventsIn(phase: Phase, trace: readonly TraceEvent[]): readonly TraceEvent[] {
  const to = trace.findIndex((event) => event.type === "phase" && event.phase === phase);
  const from = trace.findLastIndex((event, at) => event.type === "phase" && at < to);
  return trace.slice(from + 1, Math.max(0, to));
}

/** Returns the time at which a phase began. */
export function beginOf(phase: Phase, trace: readonly TraceEvent[]): number {
  const to = trace.findIndex((event) => event.type === "phase" && event.phase === phase);
  return trace.findLast((event, at) => event.type === "phase" && at < to)?.at ?? 0;
}

/** Returns the kind of a call, by its text and its system: `DELETE dns`, `psql servers`. */
export function kindOfCall({ text, to }: { readonly text: string; readonly to: string }): string {
  return `${text.split(" ")[0]} ${to}`;
}

/** Milliseconds between two changes that have different causes. An operator that changes more often doesn't wait for anything. */
export const shortestPause = 10_000;
