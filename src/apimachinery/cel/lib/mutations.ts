import { declare, type FunctionDecl } from "../functions/function.ts";
import type { StructType } from "../check/env.ts";
import { type CelType, objectType, openObjectType, types } from "../types/type.ts";
import { WrittenObject } from "../values/value.ts";

/** The type of a JSON patch operation. */
export const jsonPatchType: CelType = objectType(
  "JSONPatch",
  new Map<string, CelType>([
    ["op", types.string],
    ["path", types.string],
    ["from", types.string],
    ["value", types.dyn],
  ]),
);

/** The type of an apply configuration. */
export const appliedObjectType: CelType = openObjectType("Object");

/** The types of mutation results: `JSONPatch`, `Object`, `Object.spec.template`. */
export function mutationStructs(name: string): StructType | undefined {
  if (name === jsonPatchType.name) {
    return structOf(jsonPatchType, (field) => jsonPatchType.fields?.get(field));
  }
  if (name === appliedObjectType.name) return structOf(appliedObjectType, () => types.dyn);
  if (name.startsWith(`${appliedObjectType.name}.`)) return structOf(openObjectType(name), () => types.dyn);
  return undefined;
}

function structOf(type: CelType, fieldType: StructType["fieldType"]): StructType {
  return { type, fieldType, construct: (fields) => new WrittenObject(type, fields) };
}

/** The functions for mutations. */
export const mutations: readonly FunctionDecl[] = [
  declare(
    "jsonpatch.escapeKey",
    "string_jsonpatch_escapeKey_string",
    [types.string],
    types.string,
    (key: string) => key.replaceAll(/[~/]/g, (char) => (char === "~" ? "~0" : "~1")),
  ),
];
