import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Resource } from "../registry/resource.ts";
import { type SchemaWriter, loadDescribed, loadMeta } from "./schema-writer.ts";

type Json = JSONObject<unknown>;

/** Adds the definitions of a custom resource and its list to a document, and returns the name of the former. */
export async function defineCustom(writer: SchemaWriter, resource: Resource, version: string) {
  const meta = await loadMeta();
  writer.reference(meta.get("ObjectMeta")!);
  writer.reference(meta.get("ListMeta")!);
  const schema = resource.versions.find(({ name }) => name === version)?.schema?.compiled
    ?.schema as JSONSchema;
  const core = (await loadDescribed("core/v1"))!;
  const described = { kind: core.get("Pod")!, list: core.get("PodList")! };
  const { name, kind, list } = customDefinition(resource, version, schema, described);
  writer.definitions[name] = kind;
  writer.definitions[`${name}List`] = list;
  return name;
}

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** A built-in kind and its list: custom resources share the descriptions of the fields that every kind has. */
interface DescribedKind {
  readonly kind: BuiltinSchema;
  readonly list: BuiltinSchema;
}

/** The definitions of a custom resource and its list, named by the reversed group: `com.example.v1.Database`. */
function customDefinition(
  { group, plural, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
  described: DescribedKind,
): { name: string; kind: Json; list: Json } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const published = publish(schema, described.kind);
  const typeMeta = (kindName: string) => [{ group, kind: kindName, version }];
  return {
    name,
    kind: {
      ...published,
      properties: withCommonFields(described.kind, objectMeta, published["properties"] as Json),
      "x-kubernetes-group-version-kind": typeMeta(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...withCommonFields(described.list, listMeta),
        items: {
          type: "array",
          description: `List of ${plural}. More info: ${conventions}`,
          items: { $ref: `#/components/schemas/${name}` },
        },
      },
      "x-kubernetes-group-version-kind": typeMeta(listKind),
    },
  };
}

/** The fields of a type: those that every kind has, with their built-in descriptions, around the type's own. */
function withCommonFields({ properties }: BuiltinSchema, metadata: string, ownFields: Json = {}): Json {
  const stringField = (name: string) => ({ type: "string", description: properties![name]!.description });
  return {
    apiVersion: stringField("apiVersion"),
    kind: stringField("kind"),
    ...ownFields,
    metadata: { description: properties!["metadata"]!.description, allOf: [{ $ref: metadata }] },
  };
}

/** Adds the types of int-or-string and the fields of embedded objects, as Kubernetes does when it publishes. */
function publish(schema: JSONSchema, described: BuiltinSchema): Json {
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
      properties: withCommonFields(described, objectMeta, fields),
      required: [...new Set([...required, "kind", "apiVersion"])],
    }),
  };
}
