import { type JSONObject, isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type Drawing, drawValue, type FieldName, fieldBelow, lastName, rangeOf } from "./draw-value.ts";
import { narrow } from "./narrow.ts";
import { type Place, changingPlaces, isWithin, pathText, withValue } from "./places.ts";
import { typicalKeys } from "./typical-values.ts";
import { type CheckedKind, type UserObject, repair } from "./draw-object.ts";

/** An object after a change, and the change in words. */
export interface ChangedObject {
  readonly object: UserObject;
  readonly what: string;
}

/** The number of changes that are tried before the search for a valid one is given up. */
const mostTries = 25;

/** The number of changes that are tried of one field. */
const triesOfField = 8;

/** Makes one valid change of an object. Returns undefined if none was found. */
export function changeOf(kind: CheckedKind, object: UserObject, drawing: Drawing): ChangedObject | undefined {
  const { random } = drawing;
  const places = changingPlaces(object, kind.schema, drawing.values);
  for (let attempt = 0; places.length > 0 && attempt < mostTries; attempt++) {
    const changes = changesAt(pickPlace(places, drawing), drawing);
    const changed = changes.length > 0 && applyChange(kind, object, random.pick(changes), drawing);
    if (changed) return changed;
  }
  return undefined;
}

/** A step towards the change of a field. */
interface FieldChange extends ChangedObject {
  /** The field had a value, and has another. Otherwise it was set, or something around it was. */
  readonly isChange: boolean;
}

/** Changes a field. If it isn't set, it is set, or else what is around it. Returns undefined if no valid change was found. */
export function changeOfField(
  kind: CheckedKind,
  object: UserObject,
  field: FieldName,
  drawing: Drawing,
): FieldChange | undefined {
  const around = changingPlaces(object, kind.schema, drawing.values).filter((place) =>
    isWithin(field, place.field),
  );
  const depth = Math.max(...around.map(({ field: outer }) => outer.length));
  const nearest = around.filter(({ field: outer }) => outer.length === depth);
  if (nearest.length === 0) return undefined;
  // What is set around the field should have the field.
  const generous = { ...drawing, optional: 0.9 };
  for (let attempt = 0; attempt < triesOfField; attempt++) {
    const place = drawing.random.pick(nearest);
    const changes = changesAt(place, generous).filter(({ value }) => value !== undefined);
    const changed = changes.length > 0 && applyChange(kind, object, drawing.random.pick(changes), drawing);
    if (changed) return { ...changed, isChange: place.field === field && place.value !== undefined };
  }
  return undefined;
}

/** Draws a place: fields that are set more often than others, and outer fields more often than inner ones. */
function pickPlace(places: readonly Place[], { random }: Drawing): Place {
  const set = places.filter(({ value }) => value !== undefined);
  const candidates = set.length > 0 && random.chance(0.6) ? set : places;
  const depth = random.pick([2, 2, 3, 4, 9]);
  const outer = candidates.filter(({ path }) => path.length <= depth);
  return random.pick(outer.length > 0 ? outer : candidates);
}

/** A change of the value at one place. */
interface Change {
  readonly place: Place;
  /** The change in words: `removes spec.replicas`. */
  readonly what: string;
  /** The new value; undefined removes the old one. */
  readonly value: unknown;
}

/** The longest `maxLength` up to which texts are filled. */
const longestText = 300;

/** Returns the changes that a user may make at a place. They may be invalid. */
export function changesAt(place: Place, drawing: Drawing): Change[] {
  const { value, schema, isField, isRequired, path } = place;
  const pathName = pathText(path);
  if (value === undefined) return [change(`sets ${pathName}`, drawValue(schema, place.field, drawing))];
  const userValues = drawing.values[place.field];
  const changes = userValues
    ? userValues.map((candidate) => change(`changes ${pathName} to ${JSON.stringify(candidate)}`, candidate))
    : [...scalarChanges(), ...listChanges(), ...mapChanges()];
  if (isField && !isRequired) changes.push(change(`removes ${pathName}`, undefined));
  return changes.filter((candidate) => !isEqual(candidate.value, value));

  function change(what: string, value: unknown): Change {
    return { place, what, value };
  }

  function scalarChanges(): Change[] {
    if (schema.enum)
      return schema.enum.map((value) => change(`changes ${pathName} to ${JSON.stringify(value)}`, value));
    // A spec that is replaced as a whole is another object rather than a change.
    if (path.length === 1 && isObject(value) && schema.properties) return [];
    const changes = [change(`changes ${pathName}`, drawValue(schema, place.field, drawing))];
    const { random } = drawing;
    const narrowSchema = narrow(schema, random);
    const { low, high } = rangeOf(narrowSchema);
    if (typeof value === "number") {
      if (low !== -Infinity) changes.push(change(`sets ${pathName} to its minimum, ${low}`, low));
      if (high !== Infinity) changes.push(change(`sets ${pathName} to its maximum, ${high}`, high));
    }
    if (typeof value === "boolean") changes.push(change(`changes ${pathName} to ${!value}`, !value));
    const { minLength = 0, maxLength = Infinity } = narrowSchema;
    if (typeof value === "string" && value !== "") {
      const shortest = value.slice(0, Math.max(minLength, 1));
      changes.push(change(`makes ${pathName} as short as it may be`, shortest));
      const longest = value.padEnd(maxLength <= longestText ? maxLength : 0, value.at(-1));
      changes.push(change(`makes ${pathName} as long as it may be`, longest));
    }
    return changes;
  }

  function listChanges(): Change[] {
    const items = itemsOf(schema);
    if (!Array.isArray(value) || !items) return [];
    const list = value as unknown[];
    const item = drawValue(items, fieldBelow(place.field), drawing);
    const changes = [change(`adds an item to ${pathName}`, [...list, item])];
    if (list.length === 0) return changes;
    const index = drawing.random.integer(0, list.length - 1);
    changes.push(change(`removes ${pathName}[${index}]`, list.toSpliced(index, 1)));
    if (list.length > 1) changes.push(change(`reorders ${pathName}`, list.toReversed()));
    return changes;
  }

  function mapChanges(): Change[] {
    const values = valuesOf(schema);
    if (!isObject(value) || !values) return [];
    const added = typicalKeys(lastName(place.field)).find((key) => !Object.hasOwn(value, key));
    const entries = Object.entries(value);
    const changes: Change[] = [];
    if (added) {
      const item = drawValue(values, fieldBelow(place.field), drawing);
      changes.push(change(`adds ${pathName}.${added}`, { ...value, [added]: item }));
    }
    if (entries.length > 0) {
      const [removed] = drawing.random.pick(entries);
      const rest: JSONObject<unknown> = Object.fromEntries(entries.filter(([key]) => key !== removed));
      changes.push(change(`removes ${pathName}.${removed}`, rest));
    }
    return changes;
  }
}

/** Applies a change and repairs the other fields that it made invalid. Returns undefined if that does not succeed. */
export function applyChange(
  kind: CheckedKind,
  old: UserObject,
  { place: { path }, value, what }: Change,
  drawing: Drawing,
): ChangedObject | undefined {
  const object = repair(kind, withValue(old, path, value), drawing, { path, old });
  return object && !isEqual(object, old) ? { object, what } : undefined;
}

/** An object with a wrong value. */
interface WrongObject extends ChangedObject {
  /** False if the schema admits the value, which is only unusual then. */
  readonly isRejected: boolean;
}

/** Puts a wrong value into an object. Returns undefined if none was found. */
export function wrongChangeOf(kind: CheckedKind, old: UserObject, drawing: Drawing): WrongObject | undefined {
  const { random, values } = drawing;
  const places = changingPlaces(old, kind.schema, drawing.values).filter(
    ({ value, field, schema }) => value !== undefined && !values[field] && !(schema.enum && value === null),
  );
  for (let attempt = 0; places.length > 0 && attempt < mostTries; attempt++) {
    const place = random.pick(places);
    const value = random.pick(wrongValuesAt(place, drawing));
    const object = withValue(old, place.path, value);
    if (isEqual(value, place.value)) continue;
    const isRejected = kind.errors(object, old).length > 0;
    // A wrong value that the schema admits reaches the operator, and so is worth more tries.
    if (isRejected && attempt < mostTries / 2 && random.chance(0.8)) continue;
    return { object, isRejected, what: `sets ${pathText(place.path)} to ${shortJson(value)}` };
  }
  return undefined;
}

/** Returns values that the schema of a place may reject, or that a typical operator can't use. */
function wrongValuesAt({ schema, value }: Place, { random }: Drawing): unknown[] {
  const { low, high } = rangeOf(narrow(schema, random));
  const numbers = [-1, 0, low - 1, high + 1, 2 ** 31 - 1].filter((number) => Number.isFinite(number));
  switch (typeof value) {
    case "number":
      return [...numbers, "many"];
    case "string":
      return ["not valid!", "", "x".repeat(300), 1];
    case "boolean":
      return ["maybe"];
    default:
      return [Array.isArray(value) ? {} : "x"];
  }
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 30 ? `${text.slice(0, 27)}…` : text;
}
