import type { PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import { addLists, maxOfLists, type ResourceList } from "./resource-list.ts";

/**
 * The requests or limits of a whole pod: the sum of its containers, or what an init container needs together with the
 * sidecars started before it, whichever is more. Resources of the pod itself take precedence.
 */
export function sumPodResources(pod: PodSpec, of: "requests" | "limits"): ResourceList {
  let sum: ResourceList = {};
  for (const { resources } of pod.containers) sum = addLists(sum, resources?.[of] ?? {});
  let sidecars: ResourceList = {};
  let starting: ResourceList = {};
  for (const { restartPolicy, resources } of pod.initContainers ?? []) {
    const own = resources?.[of] ?? {};
    if (restartPolicy === "Always") {
      sum = addLists(sum, own);
      sidecars = addLists(sidecars, own);
      starting = maxOfLists(starting, sidecars);
    } else {
      starting = maxOfLists(starting, addLists(own, sidecars));
    }
  }
  const needed = { ...maxOfLists(sum, starting), ...pod.resources?.[of] };
  return addLists(needed, overheadOf(pod, needed, of));
}

/** Overhead is added to limits only where the pod has a limit. */
function overheadOf(
  { overhead = {} }: PodSpec,
  needed: ResourceList,
  of: "requests" | "limits",
): ResourceList {
  if (of === "requests") return overhead;
  return Object.fromEntries(Object.entries(overhead).filter(([name]) => needed[name] !== undefined));
}
