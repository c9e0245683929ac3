import type { JSONObject } from "@tsbuilder/apimachinery/json";
import {
  type BuiltinSchema,
  definitionName,
  findResource,
  loadSchemas,
  moduleOf,
} from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Core } from "../registry/core.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { SchemaWriter, loadMeta, metaReferences, writeDocument } from "./schema-writer.ts";
import { type BodyReferences, discoveryPath, pathsOf } from "./operations.ts";

/** Makes the OpenAPI v3 document of one group version. */
export async function groupDocument(
  { registry, slices }: Pick<Core, "registry" | "slices">,
  group: string,
  version: string,
): Promise<JSONObject<unknown>> {
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group, version });
  const resources = registry
    .all()
    .filter((each) => each.group === group && each.versions.some(({ name }) => name === version));
  const custom = resources.every((resource) => resource.custom);
  const paths = custom ? {} : discoveryPath(group, version, { meta });
  const pause = slices.begin();
  for (const resource of resources) {
    const name = await define(writer, resource, version);
    const bodies = await subresourceBodies(writer, resource, version);
    const references: BodyReferences = {
      kind: writer.referTo(name),
      list: writer.referTo(`${name}List`),
      subresource: (subresource) => bodies.get(subresource),
      meta,
    };
    Object.assign(paths, pathsOf(resource, version, references));
    await pause();
  }
  return writeDocument(paths, writer, { custom });
}

/** Adds the schemas of subresource bodies of other kinds, and returns references to them. */
async function subresourceBodies(
  writer: SchemaWriter,
  resource: Resource,
  version: string,
): Promise<ReadonlyMap<string, JSONObject<unknown>>> {
  const references = new Map<string, JSONObject<unknown>>();
  for (const [name, { body }] of subresourcesIn(resource, version)) {
    if (!body) continue;
    const schema = (await loadSchemas(moduleOf(body), { descriptions: true }))?.get(body.kind);
    if (!schema) continue;
    references.set(name, writer.reference(schema));
    const { group, version: bodyVersion, kind } = body;
    writer.definitions[definitionName(schema.typeName!)]!["x-kubernetes-group-version-kind"] = [
      { group, kind, version: bodyVersion },
    ];
  }
  return references;
}

/** Adds the schemas of a kind and its list, and returns the kind's name in the document. */
async function define(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  if (resource.custom) return defineCustom(writer, resource, version);
  const type = findResource({ group: resource.group, version }, resource.plural)!.type;
  const dot = type.lastIndexOf(".");
  const table = await loadSchemas(type.slice(0, dot), { descriptions: true });
  for (const kind of [type.slice(dot + 1), resource.listKind]) {
    const schema = table?.get(kind);
    if (schema) writer.reference(schema);
  }
  return definitionName(type);
}

async function defineCustom(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  const meta = await loadMeta();
  writer.reference(meta.get("ObjectMeta")!);
  writer.reference(meta.get("ListMeta")!);
  const schema = resource.versions.find(({ name }) => name === version)?.schema?.compiled
    ?.schema as JSONSchema;
  const core = (await loadSchemas("core/v1", { descriptions: true }))!;
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

/**
 * The OpenAPI definitions of a custom resource and its list. Their names begin with the reversed group:
 * `com.example.v1.Database`.
 */
function customDefinition(
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

/**
 * Adds the types of int-or-string and the fields of embedded objects to a schema, as Kubernetes does when it publishes
 * one.
 */
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
