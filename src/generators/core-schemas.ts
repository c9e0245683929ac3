import {
  type BuiltinSchema,
  loadSchemas,
  type SchemaTable,
  schemaModules,
} from "@tsbuilder/apimachinery/kinds";
import { sharedMappings } from "./emit.ts";
import { applyCoreMarkers } from "./core-markers.ts";
import { breakLines } from "./schema/break-lines.ts";
import type { CoreSchema } from "./schema/environment.ts";
import type { Schema } from "./schema/schema.ts";
import { listMapKeysOf, wellKnownSchema } from "./schema/well-known.ts";
import type { GeneratorOptions } from "./options.ts";

/** Looks up built-in Kubernetes types by the module they are imported from, and their name. */
export type CoreSchemas = (specifier: string, name: string) => CoreSchema | undefined;

/**
 * Loads the types of Kubernetes' own that some import specifiers ask for, in the form in which a CRD embeds them.
 * `@tsbuilder/runtime` itself names those of `meta/v1`. Those of the run before are `kept`, and their texts with them.
 */
export async function loadCoreSchemas(
  specifiers: Iterable<string>,
  options: GeneratorOptions,
  kept = new Map<string, CoreSchemas>(),
): Promise<CoreSchemas> {
  const descriptions = options.maxDescLen !== 0;
  const modules = new Set(["meta/v1", ...[...specifiers].flatMap(modulesOf)]);
  const key = JSON.stringify([
    [...modules].sort(),
    descriptions,
    options.generateEmbeddedObjectMeta === true,
  ]);
  const known = kept.get(key);
  if (known) return known;
  const loaded = await loadModules(modules, options, descriptions);
  kept.clear();
  kept.set(key, loaded);
  return loaded;
}

async function loadModules(
  modules: ReadonlySet<string>,
  options: GeneratorOptions,
  descriptions: boolean,
): Promise<CoreSchemas> {
  const tables = new Map<string, SchemaTable>();
  for (const module of modules) {
    const table = await loadSchemas(module, { descriptions });
    if (table) tables.set(module, table);
  }
  const converter = new Converter(options.generateEmbeddedObjectMeta === true);
  const found = new Map<BuiltinSchema, CoreSchema>();
  return (specifier, written) => {
    const name = specifier.startsWith("@kubernetes/client-node") ? written.replace(/^V\d+/u, "") : written;
    for (const module of modulesOf(specifier)) {
      const node = tables.get(module)?.get(name);
      if (!node) continue;
      const known = found.get(node) ?? { schema: converter.convert(node), listMapKeys: listMapKeysOf(name) };
      found.set(node, known);
      if (known.schema.properties) sharedMappings.add(known.schema.properties);
      return known;
    }
    return undefined;
  };
}

/**
 * The tables with the types of an import: a specific one for our own paths, any for packages that name types by
 * version.
 */
function modulesOf(specifier: string): readonly string[] {
  const path = /^@tsbuilder\/(?:runtime|apimachinery)\/k8s\/(.+)$/u.exec(specifier)?.[1];
  if (path !== undefined) return schemaModules.includes(path) ? [path] : [];
  if (/^@tsbuilder\/(?:runtime|apimachinery\/meta)$/u.test(specifier)) return ["meta/v1"];
  const foreign = /^(?:kubernetes-models|kubernetes-types)\/(.+?)(?:\.[jt]s)?$/u.exec(specifier)?.[1];
  if (foreign) return schemaModules.filter((module) => foreign.startsWith(module) || module === "core/v1");
  return specifier.startsWith("@kubernetes/client-node") ? schemaModules : [];
}

/** Converts nodes of the tables to CRD schemas. A recursive node preserves unknown fields. */
class Converter {
  readonly #embeddedMetadata: boolean;
  readonly #done = new Map<BuiltinSchema, Schema>();
  readonly #active = new Set<BuiltinSchema>();

  constructor(embeddedMetadata: boolean) {
    this.#embeddedMetadata = embeddedMetadata;
  }

  convert(node: BuiltinSchema): Schema {
    const done = this.#done.get(node);
    if (done) return done;
    if (this.#active.has(node)) return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    this.#active.add(node);
    const schema = this.#known(node) ?? applyCoreMarkers(node.typeName, this.#structure(node));
    this.#active.delete(node);
    this.#done.set(node, schema);
    return schema;
  }

  /** Named scalars, metadata and conditions have schemas that are incomplete in the tables. */
  #known(node: BuiltinSchema): Schema | undefined {
    const name = node.typeName?.replace(/^meta\/v1\./u, "");
    const known = name === undefined ? undefined : wellKnownSchema(name, this.#embeddedMetadata);
    if (!known) return undefined;
    if (name === "Condition") {
      for (const [key, property] of Object.entries(known.properties ?? {})) {
        property.description = breakLines(node.properties?.[key]?.description);
      }
    }
    const text = name === "Condition" ? breakLines(node.description) : node.description;
    return text === undefined ? known : { ...known, description: text };
  }

  #structure(node: BuiltinSchema): Schema {
    const { properties, required, items, additionalProperties } = node;
    const names = properties ? Object.keys(properties) : [];
    return {
      type: node.type,
      format: node.format,
      description: node.description,
      default: node.default as Schema["default"],
      properties:
        names.length > 0
          ? Object.fromEntries(names.map((name) => [name, this.convert(properties![name]!)]))
          : undefined,
      required: required && required.length > 0 ? [...required].sort() : undefined,
      items: items && this.convert(items),
      additionalProperties: additionalProperties && this.convert(additionalProperties),
      "x-kubernetes-preserve-unknown-fields": node["x-kubernetes-preserve-unknown-fields"],
      "x-kubernetes-embedded-resource": node["x-kubernetes-embedded-resource"],
      "x-kubernetes-list-type": node["x-kubernetes-list-type"],
      "x-kubernetes-list-map-keys": node["x-kubernetes-list-map-keys"],
      "x-kubernetes-map-type": node["x-kubernetes-map-type"],
    };
  }
}
