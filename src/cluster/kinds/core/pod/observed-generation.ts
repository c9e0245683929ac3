import type { Pod } from "../pod-spec/types.ts";

type PodStatus = NonNullable<Pod["status"]>;

/** A write of the status that omits an observedGeneration keeps the old one: of the pod, and of each condition. */
export function withOldGenerations(status: PodStatus, before: PodStatus): PodStatus {
  const conditions = status.conditions?.map((condition, index, all) => {
    // Several conditions may have one type: they correspond in order.
    const nth = all.slice(0, index).filter(({ type }) => type === condition.type).length;
    const old = before.conditions?.filter(({ type }) => type === condition.type)[nth];
    return kept(condition, old);
  });
  return { ...kept(status, before), ...(conditions && { conditions }) };
}

interface Observed {
  observedGeneration?: number | undefined;
}

function kept<T extends Observed>(now: T, before: Observed | undefined): T {
  const observedGeneration = now.observedGeneration || before?.observedGeneration;
  return observedGeneration ? { ...now, observedGeneration } : now;
}
