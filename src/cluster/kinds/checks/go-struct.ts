import { isObject } from "@tsbuilder/apimachinery/json";

/** The fields of a Go struct in its order, by their JSON names: the value of an absent field, and the struct inside it. */
export interface Shape {
  readonly [field: string]: { readonly zero: unknown; readonly of?: Shape };
}

export const stringField = { zero: "" };
export const numberField = { zero: 0 };

/** A pointer, a list or a map. */
export const pointerField = { zero: null };

/** A pointer to a struct, or a list of structs. */
export const pointerTo = (of: Shape) => ({ zero: null, of });

/** The fields whose names in Go have more capitals than the first. */
const initialisms: Readonly<Record<string, string>> = {
  cel: "CEL",
  apiGroups: "APIGroups",
  apiVersion: "APIVersion",
  seLinuxOptions: "SELinuxOptions",
  uid: "UID",
};

/**
 * Returns an object with the field names and zero values of the server's internal struct, which has no JSON names: some
 * messages of the server print that struct.
 */
export function toGoStruct(value: unknown, shape: Shape): object {
  const members = isObject(value) ? value : {};
  const fields = Object.entries(shape).map(([name, { zero, of }]) => {
    const member = members[name] ?? zero;
    const shown = of && member !== null ? toGoStructs(member, of) : member;
    return [initialisms[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`, shown];
  });
  return Object.fromEntries(fields) as object;
}

function toGoStructs(value: unknown, shape: Shape): unknown {
  return Array.isArray(value) ? value.map((item) => toGoStruct(item, shape)) : toGoStruct(value, shape);
}
