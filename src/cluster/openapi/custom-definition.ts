import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Resource } from "../registry/resource.ts";

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const text = { type: "string" };
const typeFields = {
  apiVersion: { ...text, description: "The group and version of this object's schema." },
  kind: { ...text, description: "The kind of this object." },
};

/** The OpenAPI definitions of a custom resource and its list. Their names begin with the reversed group, as in Java. */
export function customDefinition(
  { group, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
): { name: string; kind: JSONObject<unknown>; list: JSONObject<unknown> } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const gvk = (of: string) => [{ group, kind: of, version }];
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true && !schema.properties;
  const metadata = { description: "Standard object metadata.", allOf: [{ $ref: objectMeta }] };
  return {
    name,
    kind: {
      ...schema,
      ...(!open && { properties: { ...typeFields, ...schema.properties, metadata } }),
      "x-kubernetes-group-version-kind": gvk(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...typeFields,
        items: { type: "array", items: { $ref: `#/components/schemas/${name}` } },
        metadata: { description: "Standard list metadata.", allOf: [{ $ref: listMeta }] },
      },
      "x-kubernetes-group-version-kind": gvk(listKind),
    },
  };
}
