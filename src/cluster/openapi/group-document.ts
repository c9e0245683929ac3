import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { definitionName, findResource, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Registry } from "../registry/registry.ts";
import type { Resource } from "../registry/resource.ts";
import { customDefinition } from "./custom-definition.ts";
import { pathsOf } from "./operations.ts";
import { SchemaWriter } from "./schema-writer.ts";

/** Makes the OpenAPI v3 document of one group version. */
export async function groupDocument(
  registry: Registry,
  group: string,
  version: string,
): Promise<JSONObject<unknown>> {
  const writer = new SchemaWriter();
  const paths: Record<string, JSONObject<unknown>> = {};
  for (const resource of registry.all()) {
    if (resource.group !== group || !resource.versions.some(({ name }) => name === version)) continue;
    const name = await define(writer, resource, version);
    Object.assign(paths, pathsOf(resource, version, { $ref: `#/components/schemas/${name}` }));
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths,
    components: {
      schemas: sorted(writer.definitions),
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    },
  };
}

/** Adds the schemas of a kind and its list, and returns the kind's name in the document. */
export async function define(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  if (resource.custom) return defineCustom(writer, resource, version);
  const type = findResource({ group: resource.group, version }, resource.plural)!.type;
  const dot = type.lastIndexOf(".");
  const table = await loadSchemas(type.slice(0, dot), { descriptions: true });
  const gvk = [{ group: resource.group, kind: resource.kind, version }];
  for (const typeName of [type.slice(dot + 1), resource.listKind]) {
    const schema = table?.get(typeName);
    if (!schema) continue;
    writer.reference(schema);
    const definition = writer.definitions[definitionName(schema.typeName!)]!;
    definition["x-kubernetes-group-version-kind"] = gvk.map((each) => ({ ...each, kind: typeName }));
  }
  return definitionName(type);
}

async function defineCustom(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  const meta = (await loadSchemas("meta/v1", { descriptions: true }))!;
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

function sorted(definitions: Record<string, JSONObject<unknown>>): Record<string, JSONObject<unknown>> {
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => compareText(a, b)));
}
