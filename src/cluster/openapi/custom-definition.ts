import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Resource } from "../registry/resource.ts";

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/** A built-in kind and its list: custom resources share the descriptions of the fields that every kind has. */
export interface DescribedKind {
  readonly kind: BuiltinSchema;
  readonly list: BuiltinSchema;
}

/** The OpenAPI definitions of a custom resource and its list. Their names begin with the reversed group, as in Java. */
export function customDefinition(
  { group, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
  described: DescribedKind,
): { name: string; kind: JSONObject<unknown>; list: JSONObject<unknown> } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const gvk = (of: string) => [{ group, kind: of, version }];
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true && !schema.properties;
  return {
    name,
    kind: {
      ...schema,
      ...(!open && { properties: commonFields(described.kind, objectMeta, schema.properties) }),
      "x-kubernetes-group-version-kind": gvk(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...commonFields(described.list, listMeta),
        items: { type: "array", items: { $ref: `#/components/schemas/${name}` } },
      },
      "x-kubernetes-group-version-kind": gvk(listKind),
    },
  };
}

function commonFields(
  { properties }: BuiltinSchema,
  metadata: string,
  own: JSONSchema["properties"] = {},
): JSONObject<unknown> {
  const text = (field: string) => ({ type: "string", description: properties![field]!.description });
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    ...own,
    metadata: { description: properties!["metadata"]!.description, allOf: [{ $ref: metadata }] },
  };
}
