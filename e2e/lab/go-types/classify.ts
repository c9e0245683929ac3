import type { Difference } from "./differences.ts";

/** Intended differences, as src/generators/differences.md lists them, each with the places where it is seen. */
const deliberate: readonly {
  readonly name: string;
  readonly has: (difference: Difference, known: Known) => boolean;
}[] = [
  {
    name: "line breaks in descriptions of Kubernetes' types",
    has: ({ path, theirs, ours }, { texts }) =>
      path.endsWith(".description") && inOneLine(theirs) === inOneLine(ours) && texts.has(inOneLine(ours)),
  },
  {
    name: "descriptions of named values in Kubernetes' types",
    has: ({ path, theirs, ours, within }, { texts }) =>
      /\.(?:items|additionalProperties)\.description$/u.test(path) &&
      typeof theirs === "string" &&
      ours === undefined &&
      texts.has(inOneLine(within)),
  },
  {
    name: "lists of conditions say that they are atomic",
    has: ({ path, theirs, ours }) =>
      theirs === undefined && ours === "atomic" && path.endsWith("onditions.x-kubernetes-list-type"),
  },
  {
    name: "a field that a type declares anew",
    has: ({ path }, { anew }) => anew.some((field) => path.endsWith(`.${field}.description`)),
  },
];

/** Facts about the kind beside the two CRDs. */
export interface Known {
  /** The descriptions of Kubernetes' types, each in one line. */
  readonly texts: ReadonlySet<string>;
  /** Fields of a struct that an embedded one has, too. */
  readonly anew: readonly string[];
}

/** The name of a deliberate difference; undefined if it is none. */
export function classify(difference: Difference, known: Known): string | undefined {
  return deliberate.find(({ has }) => has(difference, known))?.name;
}

/** A text without its line breaks. */
export function inOneLine(text: unknown): string {
  return typeof text === "string" ? text.replace(/\s+/gu, " ").trim() : "";
}
