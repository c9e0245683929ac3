import { isObject, type JSONObject, memberOf, setMember } from "@tsbuilder/apimachinery/json";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type FieldName, fieldBelow } from "./draw-value.ts";

/** The steps from an object to a value in it: names of fields, keys of maps, indexes of lists. */
export type Path = readonly (string | number)[];

/** A place in an object where something is, or could be. */
export interface Place {
  readonly path: Path;
  readonly field: FieldName;
  readonly schema: JSONSchema;
  /** What is there; undefined if nothing is. */
  readonly value: unknown;
  /** Whether an object without it is invalid whatever else it has. */
  readonly isRequired: boolean;
  /** Whether it is a field, and not an item of a list or an entry of a map. */
  readonly isField: boolean;
}

/** What a user doesn't write. */
const servers = new Set(["apiVersion", "kind", "metadata", "status"]);

/** The places of an object that a user may write to, outer ones first. */
export function placesOf(object: unknown, schema: JSONSchema): Place[] {
  const { properties = {}, required = [] } = schema;
  return Object.keys(properties)
    .filter((name) => !servers.has(name))
    .flatMap((name) => {
      const place = { path: [name], field: name, schema: properties[name]!, isField: true };
      const value = memberOf(object as JSONObject<unknown>, name);
      return within({ ...place, value, isRequired: required.includes(name) });
    });
}

/** The places that change by themselves: what stands in a given value does so only if it has values of its own. */
export function changingPlaces(
  object: unknown,
  schema: JSONSchema,
  values: Readonly<Record<FieldName, unknown>>,
): Place[] {
  const given = Object.keys(values);
  return placesOf(object, schema).filter(
    ({ field }) => values[field] !== undefined || !given.some((outer) => isWithin(field, outer)),
  );
}

/** Whether a field is another one, or stands in it. */
export function isWithin(field: FieldName, outer: FieldName): boolean {
  return field === outer || field.startsWith(`${outer}.`) || field.startsWith(`${outer}[`);
}

/** A place and those in it. */
function within(place: Place): Place[] {
  const { value, schema, field, path } = place;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return [place];
    const each = value.map((item: unknown, index) =>
      within({ ...part(index, item), field: fieldBelow(field), schema: items }),
    );
    return [place, ...each.flat()];
  }
  if (!isObject(value) || schema["x-kubernetes-embedded-resource"]) return [place];
  const { properties = {}, required = [] } = schema;
  const fields = Object.keys(properties).map((name) => ({
    ...part(name, memberOf(value, name)),
    field: fieldBelow(field, name),
    schema: properties[name]!,
    isRequired: required.includes(name),
    isField: true,
  }));
  const values = valuesOf(schema);
  const entries = values
    ? Object.keys(value).map((key) => ({
        ...part(key, value[key]),
        field: fieldBelow(field),
        schema: values,
      }))
    : [];
  return [place, ...[...fields, ...entries].flatMap(within)];

  function part(step: string | number, value: unknown) {
    return { path: [...path, step], value, isRequired: true, isField: false };
  }
}

/** The object with another value at a path; with `undefined`, without the value. Shares all the rest. */
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

/** A path in words: `spec.ports[0].name`. */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}
