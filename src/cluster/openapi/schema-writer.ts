import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema, SchemaTable } from "@tsbuilder/apimachinery/kinds";
import { builtinResources, definitionName, goFieldsOf, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { compareText } from "@tsbuilder/apimachinery/text";
import { servedRelease } from "../contract/version.ts";
import type { BodyReferences } from "./operations.ts";

type Json = JSONObject<unknown>;

/** Converts schemas of built-in types to OpenAPI, each named type once under `components.schemas`. */
export class SchemaWriter {
  readonly definitions: Record<string, Json> = {};
  readonly #types: Pick<SchemaTable, "named">;

  /** `types` has the schemas of named types: the schema of a field has the field's description instead of its type's. */
  constructor(types: Pick<SchemaTable, "named">) {
    this.#types = types;
  }

  /** Returns a reference to a named type, whose definition is added if it is missing. */
  reference(schema: BuiltinSchema): Json {
    const name = definitionName(schema.typeName!);
    if (!this.definitions[name]) {
      const definition: Json = {};
      this.definitions[name] = definition;
      Object.assign(definition, this.#body(this.#types.named(schema.typeName!) ?? schema));
      const kind = builtInKinds().get(schema.typeName!);
      if (kind) definition["x-kubernetes-group-version-kind"] = [kind];
    }
    return this.referTo(name);
  }

  /** Adds a definition that has no schema of a built-in type, and returns a reference to it. */
  define(name: string, definition: Json): Json {
    this.definitions[name] = definition;
    return this.referTo(name);
  }

  /** Returns a reference to a definition by its name in the document. */
  referTo(name: string): Json {
    return { $ref: `#/components/schemas/${name}` };
  }

  #body(schema: BuiltinSchema): Json {
    const { type, format, description, properties, items, additionalProperties } = schema;
    const body: Json = { ...(description && { description }) };
    if (schema.typeName === "Quantity") return { ...body, oneOf: [{ type: "string" }, { type: "number" }] };
    if (schema["x-kubernetes-int-or-string"]) {
      return { ...body, format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] };
    }
    if (type) body["type"] = type;
    if (format) body["format"] = format;
    if (schema.default !== undefined) body["default"] = schema.default;
    if (schema.enum) body["enum"] = schema.enum;
    if (schema.required) body["required"] = requiredOf(schema);
    if (properties) {
      const fields = Object.keys(properties).map((name) => [name, this.#field(schema, name)] as const);
      body["properties"] = Object.fromEntries(fields);
    }
    if (items) body["items"] = this.#element(items);
    if (additionalProperties) body["additionalProperties"] = this.#element(additionalProperties);
    return { ...body, ...extensions(schema) };
  }

  #field(schema: BuiltinSchema, name: string): Json {
    const field = schema.properties![name]!;
    // Kubernetes publishes the values that Go always writes as defaults: {} for a struct, zeros without omitempty.
    const zero = goFieldsOf(schema).get(name)?.zero;
    const defaultValue = zero === "empty struct" ? {} : zero === "written" ? zeroOf(field) : undefined;
    if (field.typeName === undefined) return withDefault(this.#body(field), defaultValue);
    return this.#referenceWith(field, this.#siblings(field), defaultValue);
  }

  /** The description and extensions of a field that differ from those of its type. */
  #siblings(field: BuiltinSchema): Json {
    const { description } = field;
    const type = this.#types.named(field.typeName!);
    const differs = description !== undefined && description !== type?.description;
    const siblings: Json = { ...(differs && { description }), ...extensions(field) };
    if (siblings[mapType] === type?.[mapType]) delete siblings[mapType];
    return siblings;
  }

  /** An item of a list or a value of a map. The description is that of its type. */
  #element(schema: BuiltinSchema): Json {
    const defaultValue = schema.properties ? {} : zeroOf(schema);
    if (schema.typeName !== undefined) return this.#referenceWith(schema, {}, defaultValue);
    return withDefault(this.#body(schema), defaultValue);
  }

  /** A reference with siblings: it is put into `allOf`, because siblings of `$ref` are ignored. */
  #referenceWith(schema: BuiltinSchema, siblings: Json, defaultValue: unknown): Json {
    const reference = this.reference(schema);
    const extras = withDefault(siblings, defaultValue);
    return Object.keys(extras).length === 0 ? reference : { ...extras, allOf: [reference] };
  }
}

type KindsByType = ReadonlyMap<string, Readonly<Record<"group" | "kind" | "version", string>>>;

let kindsByType: KindsByType | undefined;

/** The kinds of built-in types and of their lists, by the names of the types. */
function builtInKinds(): KindsByType {
  kindsByType ??= new Map(
    builtinResources(servedRelease()).flatMap(({ group, version, kind, listKind, type }) => [
      [type, { group, kind, version }] as const,
      [`${type.slice(0, -kind.length)}${listKind}`, { group, kind: listKind ?? "", version }] as const,
    ]),
  );
  return kindsByType;
}

const zeros: Readonly<Record<string, unknown>> = { string: "", integer: 0, number: 0, boolean: false };

/** The zero value of a scalar, which Kubernetes publishes as the default of a field that is not a pointer in Go. */
function zeroOf({ type, format, typeName }: BuiltinSchema): unknown {
  const isScalar = type !== undefined && format !== "byte" && typeName === undefined;
  return isScalar ? zeros[type] : undefined;
}

function withDefault(schema: Json, defaultValue: unknown): Json {
  return defaultValue === undefined || schema["default"] !== undefined
    ? schema
    : { ...schema, default: defaultValue };
}

/** The required fields, in the order of Go's declaration. */
function requiredOf(schema: BuiltinSchema): readonly string[] {
  const declared = [...goFieldsOf(schema).keys()];
  return schema.required!.toSorted((a, b) => declared.indexOf(a) - declared.indexOf(b));
}

const mapType = "x-kubernetes-map-type";

const extensionNames = [
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  mapType,
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

function extensions(schema: BuiltinSchema): Json {
  return Object.fromEntries(
    extensionNames.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const])),
  );
}

/** The security scheme of all operations. */
export const bearerToken = {
  type: "apiKey",
  description: "Bearer Token authentication",
  name: "authorization",
  in: "header",
};

/** An OpenAPI v3 document with some paths, and with the definitions that they refer to. */
export function writeDocument(
  paths: Readonly<Record<string, Json>>,
  { definitions }: SchemaWriter,
  { custom = false } = {},
): Json {
  return {
    openapi: "3.0.0",
    info: custom
      ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
      : { title: "Kubernetes", version: "1.36" },
    paths: sortByName(Object.entries(paths)),
    components: {
      ...(Object.keys(definitions).length > 0 && { schemas: sortByName(Object.entries(definitions)) }),
      ...(!custom && { securitySchemes: { BearerToken: bearerToken } }),
    },
  };
}

/** Makes an object of entries, in the order of their names. */
export function sortByName(entries: readonly (readonly [name: string, value: Json])[]): Record<string, Json> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareText(a, b)));
}

/** The types of meta/v1 that are kinds of every group. */
const kindsOfEveryGroup = new Set(["DeleteOptions", "WatchEvent"]);

/** References to the meta/v1 types of requests and responses, for the document of a group version. */
export function metaReferences(
  writer: SchemaWriter,
  table: SchemaTable,
  groupVersion: { readonly group: string; readonly version: string },
): BodyReferences["meta"] {
  const refer: BodyReferences["meta"] = (name) => {
    if (name === "Patch") return writer.define(definitionName("meta/v1.Patch"), { type: "object" });
    if (name === "APIGroupList") refer("APIGroup");
    const reference = writer.reference(table.get(name)!);
    const groupVersions = kindsOfEveryGroup.has(name) && groupVersion.group !== "" ? [groupVersion] : [];
    writer.definitions[definitionName(`meta/v1.${name}`)]!["x-kubernetes-group-version-kind"] = [
      { group: "", kind: name, version: "v1" },
      ...groupVersions.map(({ group, version }) => ({ group, kind: name, version })),
    ];
    return reference;
  };
  return refer;
}

/** Loads the schemas of meta/v1, which most documents refer to. */
export async function loadMeta(): Promise<SchemaTable> {
  return (await loadDescribed("meta/v1"))!;
}

/** Loads the schemas of a module, as the served release has them, with their descriptions. */
export function loadDescribed(module: string): Promise<SchemaTable | undefined> {
  return loadSchemas(module, { descriptions: true, release: servedRelease() });
}
