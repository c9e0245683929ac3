import { Random } from "@tsbuilder/apimachinery/sample";
import { type CheckedKind, drawObject, type UserObject } from "./draw-object.ts";

/** The name and the namespace of an object. */
export type Placement = UserObject["metadata"];

/** A beginning of names that are as long as the value of a label may be. */
const long = `web-${"long-".repeat(11)}`;

/**
 * Names that stand together in a plan. Their objects are mixed up by operators that cut names, or look for names by their
 * beginning, and a child's name that is longer than its kind admits is rejected.
 */
const circles: readonly (readonly string[])[] = [
  ["web", "web-1", "web-10"],
  ["a", "db", "b-2"],
  ["web", `${long}ab-1`, "a"],
  [`${long}ab-1`, `${long}ab-2`, "web"],
  [`${long}ab-2`, `${long}cd-2`, "db"],
];

/** The namespaces in which objects are placed, unless the test names others. */
export const usualNamespaces: readonly string[] = ["default", "other"];

/** A namespace whose name begins with that of another one. */
export const longerNamespace = "other-web";

/** Namespaces and names that give one text, `other-web-db`, when an operator joins them. */
const joined: readonly Placement[] = [
  { namespace: "other", name: "web-db" },
  { namespace: longerNamespace, name: "db" },
  { namespace: "other", name: "web" },
];

interface Given {
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
  /** The namespace `other-web` exists, too. */
  readonly hasLongerNamespace?: boolean;
}

/**
 * Returns what places the objects of a plan: those of one name in several namespaces, names that begin alike, or both. Objects
 * are created in this order.
 */
export function placementsOf(kind: CheckedKind, given: Given): (random: Random) => Placement[] {
  const groups = (given.names ? [given.names] : circles).map((names) => admittedNames(kind, names));
  const namespaces = given.namespaces ?? usualNamespaces;
  const crossed = given.hasLongerNamespace && !given.names ? admittedPlacements(kind, joined) : [];
  return (random) => {
    if (kind.isNamespaced && crossed.length === joined.length && random.chance(0.15)) return crossed;
    // Most plans have the first names: the others show fewer mistakes.
    const names = random.shuffled(groups[random.pick([0, 0, 0, ...groups.keys()])]!);
    if (!kind.isNamespaced) return names.map((name) => ({ name }));
    const inOrder = random.shuffled(namespaces);
    const grouped = names.flatMap((name) =>
      random.shuffled(namespaces).map((namespace) => ({ name, namespace })),
    );
    // Objects of one name in several namespaces follow one another, or else objects of one namespace do.
    return random.chance(0.5)
      ? grouped
      : grouped.toSorted((a, b) => inOrder.indexOf(a.namespace) - inOrder.indexOf(b.namespace));
  };
}

function admittedPlacements(kind: CheckedKind, placements: readonly Placement[]): Placement[] {
  return placements.filter(({ name }) => admittedNames(kind, [name])[0] === name);
}

/** The least length to which names are cut. */
const leastLength = 8;

/** The length of the ends that cut names keep. */
const endLength = 4;

/** Returns the names that a kind admits. Long ones lose their middle until they have the length that its rules admit. */
function admittedNames(kind: CheckedKind, names: readonly string[]): string[] {
  const drawing = { random: new Random(1), values: {}, optional: 0 };
  const [first] = names.filter((name) => name.length < leastLength);
  const object = drawObject(kind, { name: first ?? "a" }, drawing);
  if (!object) return [...names];
  const admitted = names.flatMap((name) => {
    for (let length = name.length; length >= Math.min(leastLength, name.length); length--) {
      const cut =
        length === name.length ? name : `${name.slice(0, length - endLength)}${name.slice(-endLength)}`;
      if (kind.errors({ ...object, metadata: { ...object.metadata, name: cut } }).length === 0) return [cut];
    }
    return [];
  });
  return [...new Set(admitted)];
}
