import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema, SchemaTable } from "@tsbuilder/apimachinery/kinds";
import { builtinResources, definitionName, goFieldsOf, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { BodyReferences } from "./operations.ts";

type Json = JSONObject<unknown>;

const prefix = "#/components/schemas/";

/** Converts schemas of built-in types to OpenAPI, each named type once under `components.schemas`. */
export class SchemaWriter {
  readonly definitions: Record<string, Json> = {};
  readonly #types: Pick<SchemaTable, "named">;

  /** A field's schema has the field's description; `types` has the schemas of the types themselves. */
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

  referTo(name: string): Json {
    return { $ref: `${prefix}${name}` };
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
    const zero = goFieldsOf(schema).get(name)?.zero;
    const preset = zero === "empty struct" ? {} : zero === "written" ? zeroOf(field) : undefined;
    if (!isNamed(field)) return withDefault(this.#body(field), preset);
    return this.#referred(field, this.#beside(field), preset);
  }

  /** The description and extensions of a field that differ from those of its type. */
  #beside(field: BuiltinSchema): Json {
    const { description } = field;
    const type = this.#types.named(field.typeName!);
    const isOwn = description !== undefined && description !== type?.description;
    const beside: Json = { ...(isOwn && { description }), ...extensions(field) };
    if (beside[mapType] === type?.[mapType]) delete beside[mapType];
    return beside;
  }

  /** An item of a list or a value of a map. The description is that of its type. */
  #element(schema: BuiltinSchema): Json {
    const preset = schema.properties ? {} : zeroOf(schema);
    if (isNamed(schema)) return this.#referred(schema, {}, preset);
    return withDefault(this.#body(schema), preset);
  }

  /** A reference with siblings: it is put into `allOf`, because siblings of `$ref` are ignored. */
  #referred(schema: BuiltinSchema, beside: Json, preset: unknown): Json {
    const reference = this.reference(schema);
    const extras = withDefault(beside, preset);
    return Object.keys(extras).length === 0 ? reference : { ...extras, allOf: [reference] };
  }
}

type Kinds = ReadonlyMap<string, { readonly group: string; readonly kind: string; readonly version: string }>;

let kinds: Kinds | undefined;

/** The kinds of built-in types and of their lists, by the names of the types. */
function builtInKinds(): Kinds {
  kinds ??= new Map(
    builtinResources().flatMap(({ group, version, kind, listKind, type }) => [
      [type, { group, kind, version }] as const,
      [`${type.slice(0, -kind.length)}${listKind}`, { group, kind: listKind ?? "", version }] as const,
    ]),
  );
  return kinds;
}

function isNamed({ typeName }: BuiltinSchema): boolean {
  return typeName !== undefined;
}

const zeros: Readonly<Record<string, unknown>> = { string: "", integer: 0, number: 0, boolean: false };

/** The zero value of a scalar, which Kubernetes publishes as the default of a field that is not a pointer in Go. */
function zeroOf({ type, format, typeName }: BuiltinSchema): unknown {
  const isScalar = type !== undefined && format !== "byte" && typeName === undefined;
  return isScalar ? zeros[type] : undefined;
}

function withDefault(schema: Json, preset: unknown): Json {
  return preset === undefined || schema["default"] !== undefined ? schema : { ...schema, default: preset };
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

const bearerToken = {
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
    paths: sorted(paths),
    components: {
      ...(Object.keys(definitions).length > 0 && { schemas: sorted(definitions) }),
      ...(!custom && { securitySchemes: { BearerToken: bearerToken } }),
    },
  };
}

function sorted(entries: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => compareText(a, b)));
}

/** The types of meta/v1 that are kinds of every group. */
const inEveryGroup = new Set(["DeleteOptions", "WatchEvent"]);

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
    const kinds = inEveryGroup.has(name) && groupVersion.group !== "" ? [groupVersion] : [];
    writer.definitions[definitionName(`meta/v1.${name}`)]!["x-kubernetes-group-version-kind"] = [
      { group: "", kind: name, version: "v1" },
      ...kinds.map(({ group, version }) => ({ group, kind: name, version })),
    ];
    return reference;
  };
  return refer;
}

export async function loadMeta(): Promise<SchemaTable> {
  return (await loadSchemas("meta/v1", { descriptions: true }))!;
}
