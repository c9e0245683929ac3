import { type FieldError, forbidden, invalid, tooLong } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Strategy } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { size } from "../cells.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { checkConfigKey } from "../checks/names.ts";
import { refused } from "../checks/problems.ts";

const configMapStrategy: Partial<Strategy> = {
  validate: (object) => validateConfigMap(object),
  validateUpdate: (object, old) => [
    ...keptContents(object, old, ["data", "binaryData"]),
    ...validateConfigMap(object),
  ],
};

function validateConfigMap({ data, binaryData }: Config): FieldError[] {
  const twice = Object.keys(data ?? {})
    .filter((key) => binaryData && key in binaryData)
    .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
  const isTooLong = bytesOf(data, "utf8") + bytesOf(binaryData, "base64") > mostBytes;
  return [
    ...validateKeys(data, "data"),
    ...twice,
    ...validateKeys(binaryData, "binaryData"),
    // The error is about the whole object: the server writes an empty path so.
    ...(isTooLong ? [tooLong("[]", mostBytes)] : []),
  ];
}

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

export const configMap: BuiltInKind = {
  resource: "configmaps",
  metadataChecks: { update: ["update", "new"] },
  strategy: configMapStrategy,
  cells: { Data: (object) => size("data")(object) + size("binaryData")(object) },
};
