import type { Node, Pod, Taint } from "../../../../control-loop/api/core.ts";
import { tolerates } from "../node-fit.ts";

/** The taints of a node that make pods leave it. */
export function evictingTaints({ spec }: Node): readonly Taint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/**
 * For how many milliseconds a pod tolerates taints: 0 if it doesn't tolerate one of them, infinity if it tolerates all
 * without a limit. Of several tolerations of a taint the first one counts.
 */
export function toleratedFor({ tolerations = [] }: Pod["spec"], taints: readonly Taint[]): number {
  const limits = taints.map((taint) => {
    const toleration = tolerations.find((each) => tolerates(each, taint));
    return toleration ? (toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0;
  });
  return Math.max(0, Math.min(...limits) * 1000);
}
