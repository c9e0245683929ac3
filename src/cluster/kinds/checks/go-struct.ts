import { type BuiltinSchema, goFieldsOf } from "@tsbuilder/apimachinery/kinds";
import { isObject } from "@tsbuilder/apimachinery/json";
import { namedSchema } from "./known-values.ts";

/** The fields whose names in Go have more capitals than the first. */
const initialisms: Readonly<Record<string, string>> = {
  cel: "CEL",
  apiGroup: "APIGroup",
  apiGroups: "APIGroups",
  apiVersion: "APIVersion",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  seLinuxOptions: "SELinuxOptions",
  uid: "UID",
};

/**
 * Returns an object with the field names and zero values of the server's internal struct, which has no JSON names: some
 * messages of the server print that struct. The type is a name in the tables, such as `core/v1.SecurityContext`.
 */
export function toGoStruct(value: unknown, typeName: string): object {
  return structOf(value, namedSchema(typeName)!);
}

function structOf(value: unknown, schema: BuiltinSchema): object {
  const members = isObject(value) ? value : {};
  const fields = [...goFieldsOf(schema).values()].flatMap(({ name, zero }) => {
    const node = schema.properties![name];
    // A field of another release.
    if (!node) return [];
    const absent =
      zero === "as given" ? null : zero === "empty struct" ? {} : (zeros[node.type ?? ""] ?? null);
    const goName = initialisms[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return [[goName, valueIn(members[name] ?? absent, node)]];
  });
  return Object.fromEntries(fields) as object;
}

const zeros: Readonly<Record<string, unknown>> = { string: "", integer: 0, boolean: false };

function valueIn(value: unknown, schema: BuiltinSchema): unknown {
  if (Array.isArray(value)) return schema.items ? value.map((item) => valueIn(item, schema.items!)) : value;
  return schema.properties && value !== null ? structOf(value, schema) : value;
}
