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
  const kept = new Map<PathElement, FieldSet>();
  for (const [element, child] of children) if (!isEmptySet(child)) kept.set(element, child);
  if (kept.size === 0) return owned ? ownedLeaf : emptySet;
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
  return fieldSet(
    a.owned && b.owned,
    [...a.children].map(([element, child]) => [element, intersection(child, childOf(b, element))] as const),
  );
}

/** Returns the paths of the first set that are not in the second; paths below one in the second stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return fieldSet(
    a.owned && !b.owned,
    [...a.children].map(([element, child]) => [element, difference(child, childOf(b, element))] as const),
  );
}

/** Returns the paths of the first set that are neither in the second nor below one of its paths. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.owned) return emptySet;
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return fieldSet(
    a.owned,
    [...a.children].map(
      ([element, child]) => [element, differenceBelow(child, childOf(b, element))] as const,
    ),
  );
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

function pathSet(path: readonly PathElement[]): FieldSet {
  return path.reduceRight<FieldSet>((child, element) => fieldSet(false, [[element, child]]), ownedLeaf);
}
