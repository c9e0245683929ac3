import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { wordsOf } from "../contract/external.ts";
import type { Ref, Run, Scenario, State } from "../contract/index.ts";
import { appliedIn } from "../contract/scenario.ts";
import { refOf, refText } from "../contract/state.ts";
import { namesOutside } from "./differences.ts";

/** Something that an external system held for an object, and that the deletion of another object took. */
export interface Taken {
  /** `copies.external store/default:web-1-0300`. */
  readonly name: string;
  /** The object that it was there for. */
  readonly of: Ref;
}

/**
 * Returns what was taken from the objects that are left when the first of several was deleted: what names one of them, and is gone
 * once everything rests. Whether it would be there without the deleted object is for another run to say.
 */
export function takenIn({ withoutOne }: Run, { steps }: Scenario): Taken[] {
  if (!withoutOne) return [];
  const { deleted, before, after } = withoutOne;
  const kept = namesOutside(after);
  const all = appliedIn(steps).map(refOf);
  return [...namesOutside(before)].flatMap(([name, thing]): Taken[] => {
    const of = kept.has(name) ? undefined : ownerOf(thing, all);
    return of && refText(of) !== refText(deleted) && after.find(of) ? [{ name, of }] : [];
  });
}

/** Returns those of the things that a state has. */
export function presentIn(state: State, things: readonly Taken[]): Taken[] {
  const names = namesOutside(state);
  return things.filter(({ name }) => names.has(name));
}

/** Returns the object that a thing names, by the longest name; undefined if several have that name. */
function ownerOf(thing: KubernetesObject, objects: readonly Ref[]): Ref | undefined {
  const text = wordsOf(JSON.stringify([thing.metadata.name, (thing as { value?: unknown }).value]));
  const named = objects.filter(({ name }) => text.includes(wordsOf(name)));
  const longest = Math.max(...named.map(({ name }) => name.length));
  const [first, ...others] = new Map(
    named.filter(({ name }) => name.length === longest).map((ref) => [refText(ref), ref]),
  ).values();
  return others.length === 0 ? first : undefined;
}
