import { compareElements, type PathElement } from "./path-element.ts";

/**
 * A set of field paths as a tree: a node says whether its own path is in the set, and has the nodes below it. Sets are
 * immutable, and have no empty children.
 */
export interface FieldSet {
  readonly owned: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/** The empty set. */
export const emptySet: FieldSet = { owned: false, children: noChildren };

/** A path in the set with nothing below it. */
export const ownedLeaf: FieldSet = { owned: true, children: noChildren };

/** Creates a node; omits empty children. */
export function fieldSet(owned: boolean, children: Iterable<readonly [PathElement, FieldSet]>): FieldSet {
  let kept: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of children) if (!isEmptySet(child)) (kept ??= new Map()).set(element, child);
  if (!kept) return owned ? ownedLeaf : emptySet;
  return { owned, children: kept };
}

/** Creates a set of paths. */
export function fieldSetOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  return paths.map(pathSet).reduce(union, emptySet);
}

/** Returns true if a set is empty. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.owned && set.children.size === 0;
}

/** Returns true if two sets have the same paths. */
export function isEqualSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children.size !== b.children.size) return false;
  return [...a.children].every(([element, child]) => isEqualSet(child, childOf(b, element)));
}

/** Returns the part of a set below a path element, with that element as the root. */
export function childOf(set: FieldSet, element: PathElement): FieldSet {
  return set.children.get(element) ?? emptySet;
}

/** Returns the paths that are in at least one of the sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || a === b) return b;
  if (isEmptySet(b)) return a;
  const children = new Map(a.children);
  for (const [element, child] of b.children) children.set(element, union(childOf(a, element), child));
  return fieldSet(a.owned || b.owned, children);
}

/** Returns the paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(a)) return a;
  return mapped(a, a.owned && b.owned, (child, element) => intersection(child, childOf(b, element)));
}

/** Returns the paths of the first set that are not in the second; paths below one in the second stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return mapped(a, a.owned && !b.owned, (child, element) => difference(child, childOf(b, element)));
}

/** Returns the paths of the first set that are neither in the second nor below one of its paths. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.owned) return emptySet;
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return mapped(a, a.owned, (child, element) => differenceBelow(child, childOf(b, element)));
}

/** Lists the paths of a set in the order of `fieldsV1`, parents first. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const below = sortedChildren(set).flatMap(([element, child]) => pathsOf(child, [...prefix, element]));
  return set.owned ? [[...prefix], ...below] : below;
}

/** The children of a node in the order of `fieldsV1`. */
export function sortedChildren(set: FieldSet): (readonly [PathElement, FieldSet])[] {
  return [...set.children].sort(([a], [b]) => compareElements(a, b));
}

/** Returns a set with other children; the set itself, whose encoding is known, if nothing changes. */
function mapped(
  set: FieldSet,
  owned: boolean,
  map: (child: FieldSet, element: PathElement) => FieldSet,
): FieldSet {
  let isChanged = owned !== set.owned;
  const children: (readonly [PathElement, FieldSet])[] = [];
  for (const [element, child] of set.children) {
    const next = map(child, element);
    if (next !== child) isChanged = true;
    children.push([element, next]);
  }
  return isChanged ? fieldSet(owned, children) : set;
}

function pathSet(path: readonly PathElement[]): FieldSet {
  return path.reduceRight<FieldSet>((child, element) => fieldSet(false, [[element, child]]), ownedLeaf);
}
