import { type FieldError, invalid, tooLong } from "@tsbuilder/apimachinery/errors";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { bytesOf, type Config, keptContents, mostBytes, validateKeys } from "../data.ts";

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

export const configMap: BuiltInKind = {
  resource: "configmaps",
  metadataChecks: "new/update+new/update",
  strategy: configMapStrategy,
  cells: { Data: (object) => size("data")(object) + size("binaryData")(object) },
};
