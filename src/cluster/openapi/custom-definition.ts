import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Resource } from "../registry/resource.ts";

type Json = Record<string, unknown>;

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const text = { type: "string" };
const typeFields = {
  apiVersion: { ...text, description: "The group and version of this object's schema." },
  kind: { ...text, description: "The kind of this object." },
};

/** Writes the schema of a custom resource and of its list; names turn the group around, as Java does. */
export function customDefinition(
  { group, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
): { name: string; kind: Json; list: Json } {
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
