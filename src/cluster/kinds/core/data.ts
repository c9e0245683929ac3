import { isEqual } from "@tsbuilder/apimachinery/json";
import { type FieldError, forbidden } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../contract/api-object.ts";
import { checkConfigKey } from "../checks/names.ts";
import { refused } from "../checks/problems.ts";

export type Data = Record<string, string>;

export interface Config extends ApiObject {
  data?: Data;
  binaryData?: Data;
  stringData?: Data;
  immutable?: boolean;
  type?: string;
}

export function keptContents(
  now: Config,
  before: Config,
  fields: ReadonlyArray<"data" | "binaryData">,
): FieldError[] {
  if (!before.immutable) return [];
  const detail = "field is immutable when `immutable` is set";
  const errors: FieldError[] = [];
  if (!now.immutable) errors.push(forbidden("immutable", detail));
  for (const field of fields) {
    if (!isEqual(now[field] ?? {}, before[field] ?? {})) errors.push(forbidden(field, detail));
  }
  return errors;
}

/** The values of a ConfigMap or Secret may have at most 1 MiB together. */
export const mostBytes = 1_048_576;

/** The number of bytes of all values, decoded. */
export function bytesOf(data: Data | undefined, encoding: "utf8" | "base64"): number {
  return Object.values(data ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

export function validateKeys(data: Data | undefined, field: string): FieldError[] {
  return Object.keys(data ?? {}).flatMap((key) => [...refused(`${field}[${key}]`, key, checkConfigKey(key))]);
}
