import type { BuiltinSchema, SchemaTable } from "@tsbuilder/apimachinery/kinds";
import { loadSchemas, schemaModules } from "@tsbuilder/apimachinery/kinds";
import { qualifiedNamePattern } from "@tsbuilder/apimachinery/naming";
import type { GeneratorOptions } from "../model/options.ts";
import type { CoreSchema } from "./builder.ts";
import { sharedMappings } from "../model/emit.ts";
import type { Schema } from "../model/schema.ts";

/** Looks up a built-in Kubernetes type by the module it is imported from, and its name; undefined if there is none. */
export type CoreSchemas = (specifier: string, name: string) => CoreSchema | undefined;

/**
 * Loads the schemas of the Kubernetes types that import specifiers name, as CRDs embed them. `@tsbuilder/runtime` itself
 * stands for `meta/v1`. `cache` holds the schemas of the previous run by modules and options: `emitFile` recognizes them,
 * and does not write their YAML again.
 */
export async function loadCoreSchemas(
  specifiers: Iterable<string>,
  options: GeneratorOptions,
  cache = new Map<string, CoreSchemas>(),
): Promise<CoreSchemas> {
  const descriptions = options.maxDescLen !== 0;
  const modules = new Set(["meta/v1", ...[...specifiers].flatMap(modulesOf)]);
  const key = JSON.stringify([
    [...modules].sort(),
    descriptions,
    options.generateEmbeddedObjectMeta === true,
  ]);
  const known = cache.get(key);
  if (known) return known;
  const loaded = await loadModules(modules, options, descriptions);
  cache.clear();
  cache.set(key, loaded);
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
  const converted = new Map<BuiltinSchema, CoreSchema>();
  return (specifier, importedName) => {
    const name = specifier.startsWith("@kubernetes/client-node")
      ? importedName.replace(/^V\d+/u, "")
      : importedName;
    for (const module of modulesOf(specifier)) {
      const node = tables.get(module)?.get(name);
      if (!node) continue;
      const known = converted.get(node) ?? {
        schema: converter.convert(node),
        listMapKeys: name === "Condition" ? ["type"] : undefined,
      };
      converted.set(node, known);
      if (known.schema.properties) sharedMappings.add(known.schema.properties);
      return known;
    }
    return undefined;
  };
}

/** Returns the tables with the types of an import: one for our own paths, all for packages that name types by version. */
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
    const schema = this.#wellKnown(node) ?? applyCoreMarkers(node.typeName, this.#structure(node));
    this.#active.delete(node);
    this.#done.set(node, schema);
    return schema;
  }

  /** Named scalars, metadata and conditions have schemas that are incomplete in the tables. */
  #wellKnown(node: BuiltinSchema): Schema | undefined {
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

/** Types that inline LocalObjectReference, whose marker makes server-side apply replace them as a whole. */
const inlinesLocalReference = new Set([
  "core/v1.ConfigMapEnvSource",
  "core/v1.ConfigMapProjection",
  "core/v1.ConfigMapVolumeSource",
  "core/v1.SecretEnvSource",
  "core/v1.SecretProjection",
]);

/** An optional domain, a slash, a name; a CRD has its own copy of the pattern. */
const qualifiedName = `^${qualifiedNamePattern}$`;

/** Keywords of fields that only the markers in Go have, by type and field. */
const fieldKeywords: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  // These defaults are references to Go constants, which a CRD cannot contain.
  "core/v1.AzureDiskVolumeSource": { cachingMode: { default: undefined }, kind: { default: undefined } },
  "core/v1.ImageVolumeStatus": { imageRef: { maxLength: 256 } },
  "core/v1.PortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
  "networking/v1.IngressPortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
};

/** Adds what only markers in the Go sources of built-in types say, and no OpenAPI document. */
function applyCoreMarkers(typeName: string | undefined, schema: Schema): Schema {
  if (typeName === undefined) return schema;
  if (inlinesLocalReference.has(typeName)) return { ...schema, "x-kubernetes-map-type": "atomic" };
  const edits = fieldKeywords[typeName];
  if (!edits) return schema;
  const properties = { ...schema.properties };
  for (const [name, edit] of Object.entries(edits)) properties[name] = { ...properties[name], ...edit };
  return { ...schema, properties };
}

/** The pattern of a quantity in CRDs, as controller-gen writes it. */
export const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** Types of `@tsbuilder/runtime` with a predefined schema, by name. */
const wellKnown: Readonly<Record<string, () => Schema>> = {
  int32: () => ({ type: "integer", format: "int32" }),
  int64: () => ({ type: "integer", format: "int64" }),
  float64: () => ({ type: "number" }),
  Quantity: () => ({ ...integerOrString(), pattern: quantityPattern }),
  IntOrString: integerOrString,
  Time: () => ({ type: "string", format: "date-time" }),
  MicroTime: () => ({ type: "string", format: "date-time" }),
  Duration: () => ({ type: "string" }),
  JSONValue: anything,
  RawExtension: () => ({ type: "object", ...anything() }),
  ObjectMeta: () => ({ type: "object" }),
  Condition: condition,
};

/** The predefined schema of a type; undefined if it has none. */
export function wellKnownSchema(name: string, embeddedObjectMeta: boolean): Schema | undefined {
  if (name === "ObjectMeta" && embeddedObjectMeta) return embeddedMetadata();
  return Object.hasOwn(wellKnown, name) ? wellKnown[name]!() : undefined;
}

/** A space that is a line break within a sentence of the Go source, in the descriptions of TypeMeta and Condition. */
const insideSentences =
  / (?=may reject unrecognized values|with respect to the current state|and whether the values are considered)/gu;

/**
 * Restores the line breaks of a built-in type's description in its Go source: at the end of each sentence, and at two
 * places within one. Published documents have such texts on one line, but controller-gen reads the source.
 */
export function breakLines(text: string | undefined): string | undefined {
  return text?.replaceAll(/(?<=[.]) (?=[^ ])/gu, "\n").replaceAll(insideSentences, "\n");
}

/** Returns the schema of `intstr.IntOrString` as controller-gen writes it. */
export function integerOrString(): Schema {
  return { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };
}

function anything(): Schema {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

function condition(): Schema {
  return {
    type: "object",
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
    properties: {
      lastTransitionTime: { type: "string", format: "date-time" },
      message: { type: "string", maxLength: 32768 },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      type: { type: "string", maxLength: 316, pattern: qualifiedName },
    },
  };
}

/** Kubernetes does not validate embedded metadata: without a schema, its fields would be pruned. */
function embeddedMetadata(): Schema {
  const strings = (): Schema => ({ type: "object", additionalProperties: { type: "string" } });
  return {
    type: "object",
    properties: {
      annotations: strings(),
      finalizers: { type: "array", items: { type: "string" } },
      labels: strings(),
      name: { type: "string" },
      namespace: { type: "string" },
    },
  };
}
