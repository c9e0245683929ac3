import type { KubernetesObject } from "@tsbuilder/runtime";
import { type Run, stateOf, type TraceEvent } from "../../../src/simulation/contract/index.ts";

/** A run with this trace, which ended with these objects. */
export function runOf(trace: readonly TraceEvent[], objects: readonly KubernetesObject[] = []): Run {
  return {
    seed: 1,
    trace,
    state: stateOf(objects),
    derived: { objects: new Set(), statuses: new Set() },
    leftovers: [],
    leftOutside: [],
    lostOutside: [],
    calls: {},
    rejected: [],
    writes: {},
    requests: {},
    controllerWrites: 0,
    writePoints: [],
    diedAt: [],
    duration: 0,
  };
}
