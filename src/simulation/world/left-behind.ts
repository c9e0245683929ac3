import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { refOf, refText, type Scenario } from "../contract/index.ts";

/**
 * Whether an object has outlived, on purpose, the one that it was made for: nobody looks after it any more. It is said to
 * have been made for that object of the user's whose name is in its own, the longest one.
 */
export function isLeftBehind(
  child: KubernetesObject,
  { steps = [], mayStay }: Scenario,
  present: readonly KubernetesObject[],
): boolean {
  if (!mayStay?.(child) || child.metadata.ownerReferences) return false;
  const { namespace, name: own = "" } = child.metadata;
  const refs = steps.flatMap((step) => (step.do === "apply" ? [refOf(step.object)] : []));
  const [madeFor] = refs
    .filter((ref) => (ref.namespace ?? namespace) === namespace && own.includes(ref.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (!madeFor) return false;
  const alive = present.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return !alive.some((object) => refText(refOf(object)) === refText(madeFor));
}
