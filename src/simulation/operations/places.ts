import { isObject, type JSONObject, memberOf, setMember } from "@tsbuilder/apimachinery/json";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type FieldName, fieldBelow } from "@tsbuilder/apimachinery/sample";

/** The way from an object to a value in it: names of fields, keys of maps, indexes of lists. */
export type Path = readonly (string | number)[];

/** A place in an object, with or without a value. */
export interface Place {
  readonly path: Path;
  readonly field: FieldName;
  readonly schema: JSONSchema;
  /** The value; undefined if there is none. */
  readonly value: unknown;
  /** The parent isn't valid without the value. */
  readonly isRequired: boolean;
  /** The place is a field, and not an item of a list or an entry of a map. */
  readonly isField: boolean;
}

/** Fields that users don't change: the server writes them, or they identify the object. */
const serverFields: readonly string[] = ["apiVersion", "kind", "metadata", "status"];

/** Returns whether a field of an object is one that users don't change. */
export function isServerField(name: string): boolean {
  return serverFields.includes(name);
}

/** Returns the places of an object that a user may write to, outer ones first. */
export function placesOf(object: unknown, schema: JSONSchema): Place[] {
  const { properties = {}, required = [] } = schema;
  return Object.keys(properties)
    .filter((name) => !isServerField(name))
    .flatMap((name) => {
      const place = { path: [name], field: name, schema: properties[name]!, isField: true };
      const value = memberOf(object as JSONObject<unknown>, name);
      return placesBelow({ ...place, value, isRequired: required.includes(name) });
    });
}

/** Returns a place, and the places below it. */
function placesBelow(place: Place): Place[] {
  const { value, schema, field, path } = place;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return [place];
    const itemPlaces = value.map((item: unknown, index) =>
      placesBelow({ ...placeAt(index, item), field: fieldBelow(field), schema: items }),
    );
    return [place, ...itemPlaces.flat()];
  }
  if (!isObject(value) || schema["x-kubernetes-embedded-resource"]) return [place];
  const { properties = {}, required = [] } = schema;
  const fields = Object.keys(properties).map((name) => ({
    ...placeAt(name, memberOf(value, name)),
    field: fieldBelow(field, name),
    schema: properties[name]!,
    isRequired: required.includes(name),
    isField: true,
  }));
  const values = valuesOf(schema);
  const entries = values
    ? Object.keys(value).map((key) => ({
        ...placeAt(key, value[key]),
        field: fieldBelow(field),
        schema: values,
      }))
    : [];
  return [place, ...[...fields, ...entries].flatMap(placesBelow)];

  function placeAt(step: string | number, value: unknown) {
    return { path: [...path, step], value, isRequired: true, isField: false };
  }
}

/**
 * Returns the places that may change on their own. A field for which the user gave values changes as a whole: fields below
 * it don't change on their own, unless the user gave values for them, too.
 */
export function changingPlaces(
  object: unknown,
  schema: JSONSchema,
  values: Readonly<Record<FieldName, unknown>>,
): Place[] {
  const fieldsWithValues = Object.keys(values);
  return placesOf(object, schema).filter(
    ({ field }) => values[field] !== undefined || !fieldsWithValues.some((outer) => isWithin(field, outer)),
  );
}

/** Returns whether a field is `outer`, or lies below it. */
export function isWithin(field: FieldName, outer: FieldName): boolean {
  return field === outer || field.startsWith(`${outer}.`) || field.startsWith(`${outer}[`);
}

/** Returns a copy of an object with another value at a path. `undefined` removes the value. The rest is shared. */
export function withValue<T>(object: T, path: Path, value: unknown): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  if (Array.isArray(object)) {
    const list = object.map((item: unknown, index) => (index === step ? withValue(item, rest, value) : item));
    return (rest.length === 0 && value === undefined ? list.filter((_, index) => index !== step) : list) as T;
  }
  const copy: JSONObject<unknown> = {};
  const members: JSONObject<unknown> = isObject(object) ? object : {};
  for (const key of Object.keys(members)) if (key !== step) setMember(copy, key, members[key]);
  const inner = rest.length === 0 ? value : withValue(memberOf(members, String(step)), rest, value);
  if (inner !== undefined) setMember(copy, String(step), inner);
  return copy as T;
}

/** Formats a path: `spec.ports[0].name`. */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}
