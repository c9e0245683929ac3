import type { CRDVersion } from "@tsbuilder/apimachinery/crd";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isObject, type JSONValue } from "@tsbuilder/apimachinery/json";
import { goText } from "@tsbuilder/apimachinery/text";
import type { ApiObject } from "../contract/api-object.ts";

type ScaleSubresource = NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>;

/** The fields of a scale subresource: those of the status are validated with the status alone, too. */
export type ScaleFields = "spec" | "status";

const maxReplicas = 2 ** 31 - 1;

/** With a scale subresource, replicas must be non-negative integers of 32 bits, and the selector a string. */
export function validateScale(
  object: ApiObject,
  scale: ScaleSubresource | undefined,
  fields: readonly ScaleFields[] = ["spec", "status"],
): FieldError[] {
  if (!scale) return [];
  return [
    ...(fields.includes("spec") ? checkReplicas(object, scale.specReplicasPath) : []),
    ...checkReplicas(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? checkSelector(object, scale.labelSelectorPath) : []),
  ];
}

/** Why the Scale of an object can't be read: another version has stored a value of a wrong type. */
export function scaleProblem(object: ApiObject, scale: ScaleSubresource): string | undefined {
  const problems = validateScale(object, scale).map(({ detail }) => detail);
  return problems.find((detail) => detail.includes(" accessor error: "));
}

function checkReplicas(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("wrong" in found) return [wrongParent(path, found, 0)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) return [accessorError(path, value, "int64", 0)];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : [];
}

function checkSelector(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("wrong" in found) return [wrongParent(path, found, "")];
  const { value } = found;
  return value === undefined || typeof value === "string" ? [] : [accessorError(path, value, "string", "")];
}

/** A value on the way to a field that should have been an object. */
interface WrongParent {
  readonly wrong: unknown;
  /** The path of the field that was looked up in it. */
  readonly at: string;
}

/** Reads a field by its path. */
function readNested(object: ApiObject, path: string): { readonly value: unknown } | WrongParent {
  let value: unknown = object;
  let at = "";
  for (const field of path.slice(1).split(".")) {
    at += `.${field}`;
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) return { wrong: value, at };
    value = (value as Record<string, unknown>)[field];
  }
  return { value: value ?? undefined };
}

function wrongParent(path: string, { wrong, at }: WrongParent, zero: number | string): FieldError {
  return invalid(path, zero, describe(at, wrong, "map[string]interface{}"));
}

function accessorError(path: string, value: unknown, expected: string, zero: number | string): FieldError {
  return invalid(path, zero, describe(path, value, expected));
}

function describe(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goText(value as JSONValue)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}
