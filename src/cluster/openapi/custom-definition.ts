import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Resource } from "../registry/resource.ts";

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** A built-in kind and its list: custom resources share the descriptions of the fields that every kind has. */
export interface DescribedKind {
  readonly kind: BuiltinSchema;
  readonly list: BuiltinSchema;
}

/** The OpenAPI definitions of a custom resource and its list. Their names begin with the reversed group, as in Java. */
export function customDefinition(
  { group, plural, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
  described: DescribedKind,
): { name: string; kind: JSONObject<unknown>; list: JSONObject<unknown> } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const published = publish(schema, described.kind);
  const gvk = (of: string) => [{ group, kind: of, version }];
  return {
    name,
    kind: {
      ...published,
      properties: commonFields(described.kind, objectMeta, published["properties"] as JSONObject<unknown>),
      "x-kubernetes-group-version-kind": gvk(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...commonFields(described.list, listMeta),
        items: {
          type: "array",
          description: `List of ${plural}. More info: ${conventions}`,
          items: { $ref: `#/components/schemas/${name}` },
        },
      },
      "x-kubernetes-group-version-kind": gvk(listKind),
    },
  };
}

function commonFields(
  { properties }: BuiltinSchema,
  metadata: string,
  own: JSONObject<unknown> = {},
): JSONObject<unknown> {
  const text = (field: string) => ({ type: "string", description: properties![field]!.description });
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    ...own,
    metadata: { description: properties!["metadata"]!.description, allOf: [{ $ref: metadata }] },
  };
}

/** A schema with what Kubernetes adds to it: the types of an int-or-string, and the fields of embedded objects. */
function publish(schema: JSONSchema, described: BuiltinSchema): JSONObject<unknown> {
  const { properties = {}, items, additionalProperties, required = [] } = schema;
  const publishInner = (inner: unknown): unknown =>
    typeof inner === "object" ? publish(inner as JSONSchema, described) : inner;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, publish(field, described)]),
  );
  return {
    ...(schema["x-kubernetes-int-or-string"] && { anyOf: [{ type: "integer" }, { type: "string" }] }),
    ...schema,
    ...(schema.properties && { properties: fields }),
    ...(items !== undefined && { items: publishInner(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: publishInner(additionalProperties) }),
    ...(schema["x-kubernetes-embedded-resource"] === true && {
      properties: commonFields(described, objectMeta, fields),
      required: [...new Set([...required, "kind", "apiVersion"])],
    }),
  };
}
