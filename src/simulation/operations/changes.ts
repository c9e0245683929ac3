import { type JSONObject, isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import { missingImageLike } from "../contract/missing-image.ts";
import {
  type Drawing,
  type FieldName,
  drawValue,
  fieldBelow,
  lastName,
  narrow,
  rangeOf,
  typicalKeys,
} from "@tsbuilder/apimachinery/sample";
import { type Place, changingPlaces, isWithin, pathText, withValue } from "./places.ts";
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

/** A field to change. Those who change it often take turns among the ways in which it can be changed. */
export interface Goal {
  readonly field: FieldName;
  readonly turn: number;
}

/** Changes a field. If it isn't set, it is set, or else what is around it. Returns undefined if no valid change was found. */
export function changeOfField(
  kind: CheckedKind,
  object: UserObject,
  { field, turn }: Goal,
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
    const changes = changesAt(place, generous);
    const isChange = place.field === field && place.value !== undefined;
    const wanted = isChange
      ? changesInTurn(changes, turn + attempt)
      : changes.filter(({ way }) => way !== "unset");
    const changed = wanted.length > 0 && applyChange(kind, object, drawing.random.pick(wanted), drawing);
    if (changed) return { ...changed, isChange };
  }
  return undefined;
}

/** Returns the changes in the way whose turn it is. */
function changesInTurn(changes: readonly Change[], turn: number): Change[] {
  const ways = [...new Set(changes.map(({ way }) => way))];
  return changes.filter(({ way }) => way === ways[turn % ways.length]);
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
  /** What is done to the value. Changes to one of several values that are known each count as a way of their own. */
  readonly way: string;
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
  const draw = (): unknown => drawValue(schema, place.field, drawing);
  if (value === undefined) return [change("set", `sets ${pathName}`, draw())];
  const userValues = drawing.values[place.field];
  const changes = userValues
    ? changesTo(userValues)
    : [...scalarChanges(), ...listChanges(), ...mapChanges()];
  if (isField && !isRequired) changes.splice(1, 0, change("unset", `removes ${pathName}`, undefined));
  return changes.filter((candidate) => !isEqual(candidate.value, value));

  function change(way: string, what: string, value: unknown): Change {
    return { place, way, what, value };
  }

  function changesTo(values: readonly unknown[]): Change[] {
    return values.map((known) => {
      const text = JSON.stringify(known);
      return change(`to ${text}`, `changes ${pathName} to ${text}`, known);
    });
  }

  function scalarChanges(): Change[] {
    if (schema.enum) return changesTo(schema.enum);
    // A spec that is replaced as a whole is another object rather than a change.
    if (path.length === 1 && isObject(value) && schema.properties) return [];
    if (typeof value === "boolean") return changesTo([!value]);
    const changes = [change("value", `changes ${pathName}`, draw())];
    const narrowSchema = narrow(schema, drawing.random);
    const { low, high } = rangeOf(narrowSchema);
    if (typeof value === "number") {
      if (low !== -Infinity) changes.push(change("least", `sets ${pathName} to its minimum, ${low}`, low));
      if (high !== Infinity) changes.push(change("most", `sets ${pathName} to its maximum, ${high}`, high));
    }
    const { minLength = 0, maxLength = Infinity } = narrowSchema;
    if (typeof value === "string" && value !== "") {
      const respelled = respell(value);
      if (respelled !== undefined)
        changes.push(change("respelled", `writes ${pathName} as ${respelled}`, respelled));
      const shortest = value.slice(0, Math.max(minLength, 1));
      // Without its tag, an image has another imagePullPolicy by default, and the server keeps the first one.
      if (!namesImage(place.field))
        changes.push(change("shortest", `makes ${pathName} as short as it may be`, shortest));
      const longest = value.padEnd(maxLength <= longestText ? maxLength : 0, value.at(-1));
      changes.push(change("longest", `makes ${pathName} as long as it may be`, longest));
    }
    return changes;
  }

  function listChanges(): Change[] {
    const items = itemsOf(schema);
    if (!Array.isArray(value) || !items) return [];
    const list = value as unknown[];
    const item = drawValue(items, fieldBelow(place.field), drawing);
    const grown = change("grown", `adds an item to ${pathName}`, [...list, item]);
    if (list.length === 0) return [grown];
    const index = drawing.random.integer(0, list.length - 1);
    const shrunk = change("shrunk", `removes ${pathName}[${index}]`, list.toSpliced(index, 1));
    if (list.length === 1) return [shrunk, grown];
    const reordered = change("reordered", `reorders ${pathName}`, list.toReversed());
    return [shrunk, reordered, grown, change("emptied", `empties ${pathName}`, [])];
  }

  function mapChanges(): Change[] {
    const values = valuesOf(schema);
    if (!isObject(value) || !values) return [];
    const added = typicalKeys(lastName(place.field)).find((key) => !Object.hasOwn(value, key));
    const entries = Object.entries(value);
    const changes: Change[] = [];
    if (added) {
      const item = drawValue(values, fieldBelow(place.field), drawing);
      changes.push(change("grown", `adds ${pathName}.${added}`, { ...value, [added]: item }));
    }
    if (entries.length === 0) return changes;
    const [removed, kept] = drawing.random.pick(entries);
    const rest: JSONObject<unknown> = Object.fromEntries(entries.filter(([key]) => key !== removed));
    changes.push(change("shrunk", `removes ${pathName}.${removed}`, rest));
    if (added)
      changes.push(
        change("renamed", `renames ${pathName}.${removed} to ${added}`, { ...rest, [added]: kept }),
      );
    if (entries.length > 1) changes.push(change("emptied", `empties ${pathName}`, {}));
    return changes;
  }
}

/** Units of quantities and durations, with the next finer one, and how many of that they have. */
const finerUnits: Readonly<Record<string, readonly [unit: string, count: number]>> = {
  Gi: ["Mi", 1024],
  Mi: ["Ki", 1024],
  h: ["m", 60],
  s: ["ms", 1000],
};

/** Writes a quantity or a duration with another unit. Undefined if the text is neither, or may be either. */
function respell(text: string): string | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})(Gi|Mi|h|s)$/.exec(text) ?? [];
  const finer = finerUnits[unit];
  return finer && `${Number(amount) * finer[1]}${finer[0]}`;
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
  /** Until when the user waits with it, if it matters what the operator has seen and done before. */
  readonly pause: { readonly after?: number };
  /** The most milliseconds until the user corrects it. */
  readonly patience: number;
}

/** Milliseconds after which an operator has rolled out what it was asked for before, whatever disturbed it. */
const pauseBeforeImage = 300_000;

/** Milliseconds that a user waits for pods whose image doesn't exist: operators may give up earlier. */
const patienceWithPods = 300_000;

/** Milliseconds that another wrong value stays, at which operators fail again and again. */
const patienceWithErrors = 20_000;

/** Puts a wrong value into an object. Returns undefined if none was found. */
export function wrongChangeOf(kind: CheckedKind, old: UserObject, drawing: Drawing): WrongObject | undefined {
  const { random, values } = drawing;
  const places = changingPlaces(old, kind.schema, values).filter(
    ({ value, field, schema }) =>
      value !== undefined &&
      (!values[field] || typeof value === "string") &&
      !(schema.enum && value === null),
  );
  const images = places.filter(({ field, value }) => isImage(field) && typeof value === "string");
  for (let attempt = 0; places.length > 0 && attempt < mostTries; attempt++) {
    const place = random.pick(images.length > 0 && random.chance(0.5) ? images : places);
    const value = random.pick(wrongValuesAt(place, drawing));
    const object = withValue(old, place.path, value);
    if (isEqual(value, place.value)) continue;
    const isRejected = kind.errors(object, old).length > 0;
    // A wrong value that the schema admits reaches the operator, and so is worth more tries.
    if (isRejected && attempt < mostTries / 2 && random.chance(0.8)) continue;
    const patience = namesImage(place.field) ? patienceWithPods : patienceWithErrors;
    // An operator that gives up on an image returns to the one before.
    const pause = isImage(place.field) ? { after: pauseBeforeImage } : {};
    const what = `sets ${pathText(place.path)} to ${shortJson(value)}`;
    return { object, isRejected, pause, patience, what };
  }
  return undefined;
}

/** Returns whether a field holds the whole name of an image. */
function namesImage(field: FieldName): boolean {
  return field.toLowerCase().endsWith("image");
}

/** Returns whether a field says which image runs, by its name. */
export function isImage(field: FieldName): boolean {
  return /(?:image|version|tag)$/i.test(field);
}

/** Returns values that the schema of a place may reject, or that a typical operator can't use. */
function wrongValuesAt({ schema, value, field }: Place, { random, values }: Drawing): unknown[] {
  if (isImage(field) && typeof value === "string") return [missingImageLike(value)];
  // The field may name something, or have a syntax that its operator checks.
  if (values[field]) return ["not-there", "not valid!"];
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
