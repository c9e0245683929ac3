import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { LeftOut, State } from "./state.ts";
import type { Step } from "./step.ts";
import type { TraceEvent } from "./trace-event.ts";

/** What happened in one run. */
export interface Run {
  readonly seed: number;
  readonly trace: readonly TraceEvent[];
  /** The objects once everything had come to rest, without those of every cluster. */
  readonly state: State;
  /** What of the state only the cluster's own controllers wrote: it follows from the rest, and from the way to it. */
  readonly derived: LeftOut;
  /** The objects that were left once all that the steps created had been deleted. */
  readonly leftovers: readonly KubernetesObject[];
  /** Steps that the API server rejected. */
  readonly rejected: readonly Step[];
  /** The writes of each process, for faults to be aimed at. */
  readonly writes: { readonly [process: string]: number };
  readonly requests: { readonly [process: string]: number };
  /** How often the controllers of the scenario wrote. */
  readonly controllerWrites: number;
  /** What the processes' writes do to which kinds, such as `shop: PATCH ConfigMap`. */
  readonly writePoints: readonly string[];
  /** The points at which a process died. */
  readonly diedAt: readonly string[];
  /** Virtual milliseconds until everything had come to rest. */
  readonly duration: number;
}
