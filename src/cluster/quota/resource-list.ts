import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { addQuantities, compareQuantities, subtractQuantities } from "@tsbuilder/apimachinery/quantity";
import type { PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";

/** Quantities by resource name: `cpu`, `requests.memory`, `count/configmaps`. */
export type ResourceList = Readonly<Record<string, Quantity>>;

/** The sums by name; a name that is missing from one list counts as zero there. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, addQuantities);
}

function merge(a: ResourceList, b: ResourceList, join: (one: Quantity, other: Quantity) => Quantity) {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    result[name] = result[name] === undefined ? amount : join(result[name], amount);
  }
  return result;
}

/** The amounts by which `now` exceeds `before`; zero where it does not. */
export function growth(now: ResourceList, before: ResourceList): ResourceList {
  const grown = Object.entries(now).map(([name, amount]) => {
    const more = subtractQuantities(amount, before[name] ?? "0");
    return [name, compareQuantities(more, "0") > 0 ? more : "0"] as const;
  });
  return Object.fromEntries(grown);
}

/** The entries with the given names. */
export function onlyOf(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names);
  return filtered(list, (name) => wanted.has(name));
}

export function withoutZeros(list: ResourceList): ResourceList {
  return filtered(list, (_, amount) => compareQuantities(amount, "0") !== 0);
}

function filtered(list: ResourceList, keeps: (name: string, amount: Quantity) => boolean): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name, amount]) => keeps(name, amount)));
}

/** The names whose quantity exceeds the limit. */
export function namesOver(list: ResourceList, limits: ResourceList): string[] {
  return Object.keys(list).filter(
    (name) => limits[name] !== undefined && compareQuantities(list[name]!, limits[name]) > 0,
  );
}

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
  const needed: ResourceList = { ...maxOfLists(sum, starting), ...pod.resources?.[of] };
  const { overhead = {} } = pod;
  // Overhead is added to limits only where the pod has a limit.
  const isAdded = (name: string): boolean => of === "requests" || needed[name] !== undefined;
  return addLists(needed, filtered(overhead, isAdded));
}

/** The larger quantity for each name. */
function maxOfLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, (one, other) => (compareQuantities(one, other) < 0 ? other : one));
}
