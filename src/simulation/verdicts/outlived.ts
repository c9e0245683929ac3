import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Run, Scenario } from "../contract/index.ts";
import { refTextOf } from "../contract/state.ts";

/**
 * Returns the objects that outlived the deletion of a run, and that the deletion of another run took: the claims of a StatefulSet,
 * say, which the cluster made, and which an operator deletes. What has an owner goes with it, and a volume with its claim.
 */
export function outlivedIn(run: Run, other: Run, { mayStay }: Scenario): KubernetesObject[] {
  const kept = new Set(other.remaining.map(refTextOf));
  const taken = new Set(other.state.objects.map(refTextOf).filter((text) => !kept.has(text)));
  return run.remaining.filter((object) => {
    const { namespace, ownerReferences = [] } = object.metadata;
    const isOnItsOwn = namespace !== undefined && ownerReferences.length === 0;
    return isOnItsOwn && taken.has(refTextOf(object)) && !mayStay?.(object);
  });
}
