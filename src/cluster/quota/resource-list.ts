import { compareText } from "@tsbuilder/apimachinery/text";
import { addQuantities, compareQuantities, subtractQuantities } from "@tsbuilder/apimachinery/quantity";

/** Amounts by what they are of: `cpu`, `requests.memory`, `count/configmaps`. */
export type ResourceList = Readonly<Record<string, string>>;

/** Both together; what only one of them has counts as it is. */
export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, addQuantities);
}

/** The larger of both, one by one. */
export function maxOfLists(a: ResourceList, b: ResourceList): ResourceList {
  return merge(a, b, (one, other) => (compareQuantities(one, other) < 0 ? other : one));
}

function merge(a: ResourceList, b: ResourceList, join: (one: string, other: string) => string): ResourceList {
  const result: Record<string, string> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    result[name] = result[name] === undefined ? amount : join(result[name], amount);
  }
  return result;
}

/** What `now` has more than `before`; nothing where it has less. */
export function growth(now: ResourceList, before: ResourceList): ResourceList {
  const grown = Object.entries(now).map(([name, amount]) => {
    const more = subtractQuantities(amount, before[name] ?? "0");
    return [name, compareQuantities(more, "0") > 0 ? more : "0"] as const;
  });
  return Object.fromEntries(grown);
}

/** The amounts of some names only. */
export function onlyOf(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(list).filter(([name]) => wanted.has(name)));
}

export function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(list).filter(([, amount]) => compareQuantities(amount, "0") !== 0),
  );
}

/** The names of what is more than it may be. */
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

/** As refusals print it. */
export function printList(list: ResourceList): string {
  const entries = Object.entries(list).toSorted(([a], [b]) => compareText(a, b));
  return entries.map(([name, amount]) => `${name}=${amount}`).join(",");
}
