import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { addQuantities, compareQuantities, subtractQuantities } from "@tsbuilder/apimachinery/quantity";
import type { PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";

/** Quantities by resource name: `cpu`, `requests.memory`, `count/configmaps`. */
export type ResourceList = Readonly<Record<string, Quantity>>;

/** Adds two lists by name; a name that is missing from one list counts as zero there. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return mergeLists(a, b, addQuantities);
}

/** Unites two lists; `combine` makes the quantity of a name that both have. */
function mergeLists(a: ResourceList, b: ResourceList, combine: (a: Quantity, b: Quantity) => Quantity) {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    result[name] = result[name] === undefined ? amount : combine(result[name], amount);
  }
  return result;
}

/** Returns the amounts by which `now` exceeds `before`; zero where it does not. */
export function growth(now: ResourceList, before: ResourceList): ResourceList {
  const increases = Object.entries(now).map(([name, amount]) => {
    const increase = subtractQuantities(amount, before[name] ?? "0");
    return [name, compareQuantities(increase, "0") > 0 ? increase : "0"] as const;
  });
  return Object.fromEntries(increases);
}

/** Returns the entries whose names are wanted. */
export function onlyOf(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names);
  return filterList(list, (name) => wanted.has(name));
}

/** Returns the entries whose quantity is not zero. */
export function withoutZeros(list: ResourceList): ResourceList {
  return filterList(list, (_, amount) => compareQuantities(amount, "0") !== 0);
}

export function filterList(
  list: ResourceList,
  keeps: (name: string, amount: Quantity) => boolean,
): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name, amount]) => keeps(name, amount)));
}

/** The names whose quantity exceeds the limit. */
export function namesOver(list: ResourceList, limits: ResourceList): string[] {
  return Object.keys(list).filter(
    (name) => limits[name] !== undefined && compareQuantities(list[name]!, limits[name]) > 0,
  );
}

/** Returns true if two lists have the same names and equal quantities: `1` equals `1000m`. */
export function isSameList(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && compareQuantities(a[name]!, b[name]) === 0)
  );
}

/** The list as error messages print it: `cpu=1,memory=1Gi`. */
export function printList(list: ResourceList): string {
  const entries = Object.entries(list).toSorted(([a], [b]) => compareText(a, b));
  return entries.map(([name, amount]) => `${name}=${amount}`).join(",");
}

/** The requests or limits of a whole pod: its own ones, or else those of its containers, and its overhead. */
export function sumPodResources(pod: PodSpec, field: "requests" | "limits"): ResourceList {
  const needed: ResourceList = { ...sumContainerResources(pod, field), ...pod.resources?.[field] };
  const { overhead = {} } = pod;
  // Overhead is added to limits only where the pod has a limit.
  const isAdded = (name: string): boolean => field === "requests" || needed[name] !== undefined;
  return addLists(needed, filterList(overhead, isAdded));
}

/** What the resources of a container depend on. */
interface Sized {
  readonly restartPolicy?: string | undefined;
  readonly resources?: { readonly [List in "requests" | "limits"]?: ResourceList | undefined } | undefined;
}

/** What the resources of a pod's containers depend on. */
type Containers = { readonly [List in "containers" | "initContainers"]?: readonly Sized[] | undefined };

/**
 * The requests or limits of a pod's containers: their sum, or what an init container needs together with the sidecars started
 * before it, whichever is more.
 */
export function sumContainerResources(
  { containers = [], initContainers = [] }: Containers,
  field: "requests" | "limits",
): ResourceList {
  let sum: ResourceList = {};
  for (const { resources } of containers) sum = addLists(sum, resources?.[field] ?? {});
  let sidecars: ResourceList = {};
  let starting: ResourceList = {};
  for (const { restartPolicy, resources } of initContainers) {
    const amounts = resources?.[field] ?? {};
    if (restartPolicy === "Always") {
      sum = addLists(sum, amounts);
      sidecars = addLists(sidecars, amounts);
      starting = maxOfLists(starting, sidecars);
    } else {
      starting = maxOfLists(starting, addLists(amounts, sidecars));
    }
  }
  return maxOfLists(sum, starting);
}

/** The larger quantity for each name. */
export function maxOfLists(a: ResourceList, b: ResourceList): ResourceList {
  return mergeLists(a, b, (one, other) => (compareQuantities(one, other) < 0 ? other : one));
}
