import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Run, Scenario } from "../contract/index.ts";
import { refTextOf } from "../contract/state.ts";

/**
 * Returns the claims of volumes that outlived the deletion of a run, and that the deletion of another run took: the cluster made them
 * for a StatefulSet, and an operator deletes them. What else the cluster makes has an owner, and goes with it, unless somebody
 * orphans it.
 */
export function outlivedIn(run: Run, other: Run, { mayStay }: Scenario): KubernetesObject[] {
  const kept = new Set(other.remaining.map(refTextOf));
  const taken = new Set(other.state.objects.map(refTextOf).filter((text) => !kept.has(text)));
  return run.remaining.filter((object) => {
    const isClaim = object.kind === "PersistentVolumeClaim" && !object.metadata.ownerReferences?.length;
    return isClaim && taken.has(refTextOf(object)) && !mayStay?.(object);
  });
}
