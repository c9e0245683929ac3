import { addLists, maxOfLists, type ResourceList } from "./resource-list.ts";

interface Resources {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: Resources;
}

/** What of a pod's spec says what the pod needs. */
export interface PodNeeds {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: ResourceList;
  readonly resources?: Resources;
}

/**
 * What a pod asks for, or may have, in all: its containers together, or what one init container needs beside the
 * sidecars that started before it, whichever is more. What is said of the pod as a whole takes precedence.
 */
export function sumPodResources(pod: PodNeeds, of: "requests" | "limits"): ResourceList {
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

/** A pod without a limit stays without one, whatever runs beside its containers. */
function overheadOf(
  { overhead = {} }: PodNeeds,
  needed: ResourceList,
  of: "requests" | "limits",
): ResourceList {
  if (of === "requests") return overhead;
  return Object.fromEntries(Object.entries(overhead).filter(([name]) => needed[name] !== undefined));
}
