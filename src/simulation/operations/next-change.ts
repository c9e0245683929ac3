import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Change, changesAt, wrongValuesAt } from "./changes.ts";
import type { Drawing } from "./draw-value.ts";
import { repair } from "./draw-object.ts";
import { changingPlaces, pathText, type Place, withValue } from "./places.ts";
import type { UserObject } from "./user-object.ts";
import type { CheckedKind } from "./validity.ts";

/** An object after a change. */
export interface Changed {
  readonly object: UserObject;
  readonly what: string;
}

/** How many changes are tried before there is said to be none. */
const tries = 25;

/** Makes one valid change of an object; undefined if none was found. */
export function changeOf(kind: CheckedKind, object: UserObject, drawing: Drawing): Changed | undefined {
  const { random } = drawing;
  const places = changingPlaces(object, kind.schema, drawing.values);
  for (let attempt = 0; places.length > 0 && attempt < tries; attempt++) {
    const changes = changesAt(pickPlace(places, drawing), drawing);
    const changed = changes.length > 0 && applyChange(kind, object, random.pick(changes), drawing);
    if (changed) return changed;
  }
  return undefined;
}

/** What a user set is changed more often than what could be set, and outer fields more often than inner ones. */
function pickPlace(places: readonly Place[], { random }: Drawing): Place {
  const set = places.filter(({ value }) => value !== undefined);
  const candidates = set.length > 0 && random.chance(0.6) ? set : places;
  const depth = random.pick([2, 2, 3, 4, 9]);
  const outer = candidates.filter(({ path }) => path.length <= depth);
  return random.pick(outer.length > 0 ? outer : candidates);
}

/** Applies a change, and changes what else must change with it; undefined if it is not valid even so. */
export function applyChange(
  kind: CheckedKind,
  old: UserObject,
  { place: { path }, value, what }: Change,
  drawing: Drawing,
): Changed | undefined {
  const object = repair(kind, withValue(old, path, value), drawing, { path, old });
  return object && !isEqual(object, old) ? { object, what } : undefined;
}

/** A wrong value in an object: one that the schema rejects, or one that it admits, though it is not usual. */
export interface Wrong extends Changed {
  readonly isRejected: boolean;
}

/** Puts a wrong value into an object; undefined if none was found. */
export function wrongChangeOf(kind: CheckedKind, old: UserObject, drawing: Drawing): Wrong | undefined {
  const { random, values } = drawing;
  const places = changingPlaces(old, kind.schema, drawing.values).filter(
    ({ value, field, schema }) => value !== undefined && !values[field] && !(schema.enum && value === null),
  );
  for (let attempt = 0; places.length > 0 && attempt < tries; attempt++) {
    const place = random.pick(places);
    const value = random.pick(wrongValuesAt(place, drawing));
    const object = withValue(old, place.path, value);
    if (isEqual(value, place.value)) continue;
    const isRejected = kind.errors(object, old).length > 0;
    // What is rejected in most cases teaches less than what is admitted.
    if (isRejected && attempt < tries / 2 && random.chance(0.8)) continue;
    return { object, isRejected, what: `sets ${pathText(place.path)} to ${shown(value)}` };
  }
  return undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 30 ? `${text.slice(0, 27)}…` : text;
}
