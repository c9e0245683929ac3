import { isEqual } from "@tsbuilder/apimachinery/json";
import type { LeftOut, State } from "../contract/index.ts";
import { type Difference, differencesOf, nameOf } from "./differences.ts";

/** What an operator leaves to chance, as two undisturbed runs show. */
export interface Chance {
  /** Fields that differ. */
  readonly fields: ReadonlySet<string>;
  /** Kinds and namespaces whose objects have other names each time. */
  readonly named: ReadonlySet<string>;
}

export function chanceOf(one: State, other: State, leftOut?: LeftOut): Chance {
  const differences = differencesOf(one, other, leftOut);
  const fields = differences.filter(({ field }) => field !== undefined).map(nameOf);
  const renamed = differences.filter((each) => partnerOf(each, differences) !== undefined);
  return { fields: new Set(fields), named: new Set(renamed.map(groupOf)) };
}

/** What differs between two outcomes for another reason than chance. */
export function differencesBesides(
  { fields, named }: Chance,
  here: State,
  there: State,
  leftOut?: LeftOut,
): Difference[] {
  const differences = differencesOf(here, there, leftOut).filter((each) => !fields.has(nameOf(each)));
  const left = new Set(differences);
  for (const each of differences) {
    if (!left.has(each) || !named.has(groupOf(each))) continue;
    const partner = partnerOf(each, [...left]);
    if (!partner) continue;
    left.delete(each);
    left.delete(partner);
  }
  return [...left];
}

/** The object of another name that only the other state has. */
function partnerOf(one: Difference, among: readonly Difference[]): Difference | undefined {
  return among.find(
    (other) =>
      one.field === undefined &&
      other.field === undefined &&
      groupOf(one) === groupOf(other) &&
      ((isUnnamedEqual(one.here, other.there) && one.there === undefined && other.here === undefined) ||
        (isUnnamedEqual(one.there, other.here) && one.here === undefined && other.there === undefined)),
  );
}

function isUnnamedEqual(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && isEqual(unnamed(one), unnamed(other));
}

function unnamed(object: unknown): unknown {
  const { metadata, ...rest } = object as { readonly metadata: { readonly name?: string } };
  return { ...rest, metadata: { ...metadata, name: "" } };
}

/** `ConfigMap.v1 default`. */
function groupOf({ object }: Difference): string {
  return object.slice(0, object.lastIndexOf("/"));
}
