import { isEqual, isObject, type JSONObject } from "@tsbuilder/apimachinery/json";
import { itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type Drawing, drawValue, fieldBelow, lastName, rangeOf } from "./draw-value.ts";
import { narrow } from "./narrow.ts";
import { pathText, type Place } from "./places.ts";
import { typicalKeys } from "./typical-values.ts";

/** A change of one place. */
export interface Change {
  readonly place: Place;
  /** In words: `removes spec.replicas`. */
  readonly what: string;
  /** The new value; undefined removes it. */
  readonly value: unknown;
}

/** The changes that a user may make at a place; whether they are valid is not known yet. */
export function changesAt(place: Place, drawing: Drawing): Change[] {
  const { value, schema, isField, isRequired, path } = place;
  const at = pathText(path);
  if (value === undefined) return [change(`sets ${at}`, drawValue(schema, place.field, drawing))];
  const told = drawing.values[place.field];
  const changes = told
    ? told.map((one) => change(`changes ${at} to ${JSON.stringify(one)}`, one))
    : [...scalarChanges(), ...listChanges(), ...mapChanges()];
  if (isField && !isRequired) changes.push(change(`removes ${at}`, undefined));
  return changes.filter((one) => !isEqual(one.value, value));

  function change(what: string, value: unknown): Change {
    return { place, what, value };
  }

  function scalarChanges(): Change[] {
    if (schema.enum)
      return schema.enum.map((value) => change(`changes ${at} to ${JSON.stringify(value)}`, value));
    // A spec that is replaced as a whole is another object rather than a change.
    if (path.length === 1 && isObject(value) && schema.properties) return [];
    const changes = [change(`changes ${at}`, drawValue(schema, place.field, drawing))];
    const { random } = drawing;
    const narrowed = narrow(schema, random);
    const { low, high } = rangeOf(narrowed);
    if (typeof value === "number") {
      if (low !== -Infinity) changes.push(change(`sets ${at} to its minimum, ${low}`, low));
      if (high !== Infinity) changes.push(change(`sets ${at} to its maximum, ${high}`, high));
    }
    if (typeof value === "boolean") changes.push(change(`changes ${at} to ${!value}`, !value));
    const { maxLength = Infinity } = narrowed;
    if (typeof value === "string" && maxLength <= longestText && value !== "") {
      const long = value.padEnd(maxLength, value.at(-1));
      changes.push(change(`makes ${at} as long as it may be`, long));
    }
    return changes;
  }

  function listChanges(): Change[] {
    const items = itemsOf(schema);
    if (!Array.isArray(value) || !items) return [];
    const list = value as unknown[];
    const item = drawValue(items, fieldBelow(place.field), drawing);
    const changes = [change(`adds an item to ${at}`, [...list, item])];
    if (list.length === 0) return changes;
    const index = drawing.random.integer(0, list.length - 1);
    changes.push(change(`removes ${at}[${index}]`, list.toSpliced(index, 1)));
    if (list.length > 1) changes.push(change(`reorders ${at}`, list.toReversed()));
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
      changes.push(change(`adds ${at}.${added}`, { ...value, [added]: item }));
    }
    if (entries.length > 0) {
      const [removed] = drawing.random.pick(entries);
      const rest: JSONObject<unknown> = Object.fromEntries(entries.filter(([key]) => key !== removed));
      changes.push(change(`removes ${at}.${removed}`, rest));
    }
    return changes;
  }
}

/** Texts are filled up to their limit if it is no longer than this. */
const longestText = 300;

/** Values that the schema of a place may reject, or a typical operator can't use. */
export function wrongValuesAt({ schema, value }: Place, { random }: Drawing): unknown[] {
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
