import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { addQuantities, compareQuantities, subtractQuantities } from "@tsbuilder/apimachinery/quantity";

/** Quantities by resource name: `cpu`, `requests.memory`, `count/configmaps`. */
export type ResourceList = Readonly<Record<string, Quantity>>;

/** The sums by name; a name that is missing from one list counts as zero there. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, addQuantities);
}

/** The larger quantity for each name. */
export function maxOfLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, (one, other) => (compareQuantities(one, other) < 0 ? other : one));
}

function merge(
  a: ResourceList,
  b: ResourceList,
  join: (one: Quantity, other: Quantity) => Quantity,
): ResourceList {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    result[name] = result[name] === undefined ? amount : join(result[name], amount);
  }
  return result;
}

/** By how much `now` exceeds `before`; zero where it does not. */
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
  return Object.fromEntries(Object.entries(list).filter(([name]) => wanted.has(name)));
}

export function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(list).filter(([, amount]) => compareQuantities(amount, "0") !== 0),
  );
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
