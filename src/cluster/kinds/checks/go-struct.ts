import { isObject } from "@tsbuilder/apimachinery/json";

/** The fields of a Go struct in their order: what each is if it is absent, and the struct in it or in its items. */
export interface Shape {
  readonly [field: string]: { readonly zero: unknown; readonly of?: Shape };
}

/** What Go makes of an absent field; a pointer, list or map is null. */
export const text = { zero: "" };
export const number = { zero: 0 };
export const pointer = { zero: null };
export const pointerTo = (of: Shape) => ({ zero: null, of });

/** The fields whose names in Go have more capitals than the first. */
const initialisms: Readonly<Record<string, string>> = {
  cel: "CEL",
  apiGroups: "APIGroups",
};

/** A value as the Go struct that it is inside the server, whose fields have no JSON names. */
export function goStruct(value: unknown, shape: Shape): object {
  const given = isObject(value) ? value : {};
  const fields = Object.entries(shape).map(([name, { zero, of }]) => {
    const field = given[name] ?? zero;
    const shown = of && field !== null ? goValue(field, of) : field;
    return [initialisms[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`, shown];
  });
  return Object.fromEntries(fields) as object;
}

function goValue(value: unknown, shape: Shape): unknown {
  return Array.isArray(value) ? value.map((item) => goStruct(item, shape)) : goStruct(value, shape);
}
