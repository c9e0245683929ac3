import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { definitionName, findResource, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { Core } from "../registry/core.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { customDefinition } from "./custom-definition.ts";
import { writeDocument } from "./document.ts";
import { loadMeta, metaReferences } from "./meta-references.ts";
import { discoveryPath, pathsOf } from "./operations.ts";
import { SchemaWriter } from "./schema-writer.ts";
import type { BodyReferences } from "./sketch.ts";

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

/** Adds the bodies of subresources that are not the kind itself, and returns references to them. */
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
