import { type FunctionDecl, declare, typed } from "../functions/function.ts";
import type { StructType } from "../check/env.ts";
import { type CelType, objectType, openObjectType } from "../types/type.ts";
import { WrittenObject } from "../values/value.ts";

const { dyn, string } = typed;

/** The functions that only mutating policies have. */
export const mutations: readonly FunctionDecl[] = [
  declare("jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", [string], string, (key) =>
    key.replaceAll(/[~/]/g, (char) => (char === "~" ? "~0" : "~1")),
  ),
];

/** The type of a JSON patch operation. */
export const jsonPatchType: CelType = objectType(
  "JSONPatch",
  new Map<string, CelType>([
    ["op", string],
    ["path", string],
    ["from", string],
    ["value", dyn],
  ]),
);

/** The type of an apply configuration; its fields are not checked. */
export const appliedObjectType: CelType = openObjectType("Object");

/** Returns the type of a mutation's result by name, if it has one: `JSONPatch`, `Object`, `Object.spec.template`. */
export function mutationStructs(name: string): StructType | undefined {
  if (name === jsonPatchType.name) {
    return structOf(jsonPatchType, (field) => jsonPatchType.fields?.get(field));
  }
  if (name === appliedObjectType.name) return structOf(appliedObjectType, () => dyn);
  if (name.startsWith(`${appliedObjectType.name}.`)) return structOf(openObjectType(name), () => dyn);
  return undefined;
}

function structOf(type: CelType, fieldType: StructType["fieldType"]): StructType {
  return { type, fieldType, construct: (fields) => new WrittenObject(type, fields) };
}
