import { type BuiltinSchema, definitionName } from "@tsbuilder/apimachinery/kinds";

type Json = Record<string, unknown>;

/** Writes schemas of built-in types as OpenAPI, each named type once under `components.schemas`. */
export class SchemaWriter {
  readonly #prefix: string;
  readonly #v2: boolean;
  readonly definitions: Record<string, Json> = {};

  /** OpenAPI v2 keeps definitions elsewhere and knows no `oneOf`. */
  constructor(version: 2 | 3 = 3) {
    this.#v2 = version === 2;
    this.#prefix = this.#v2 ? "#/definitions/" : "#/components/schemas/";
  }

  /** A reference to a named type, which is written if it is not there yet. */
  reference(schema: BuiltinSchema): Json {
    const name = definitionName(schema.typeName!);
    if (!this.definitions[name]) {
      const definition: Json = {};
      this.definitions[name] = definition;
      Object.assign(definition, this.#body(schema));
    }
    return { $ref: `${this.#prefix}${name}` };
  }

  #field(schema: BuiltinSchema): Json {
    const { typeName, description } = schema;
    const named = typeName !== undefined && !inlined.has(typeName);
    if (!named) return this.#body(schema);
    const reference = this.reference(schema);
    const extras = { ...(description && { description }), ...extensions(schema) };
    if (Object.keys(extras).length === 0) return reference;
    return this.#v2 ? { ...extras, ...reference } : { ...extras, allOf: [reference] };
  }

  #body(schema: BuiltinSchema): Json {
    const { type, format, description, properties, required, items, additionalProperties } = schema;
    const body: Json = { ...(description && { description }) };
    if (schema.typeName === "Quantity") return { ...body, ...this.#quantity() };
    if (schema["x-kubernetes-int-or-string"]) return { ...body, ...this.#intOrString() };
    if (type) body["type"] = type;
    if (format) body["format"] = format;
    if (schema.default !== undefined) body["default"] = schema.default;
    if (schema.enum) body["enum"] = schema.enum;
    if (required) body["required"] = required;
    if (properties) {
      const fields = Object.entries(properties).map(([name, child]) => [name, this.#field(child)] as const);
      body["properties"] = Object.fromEntries(fields);
    }
    if (items) body["items"] = this.#field(items);
    if (additionalProperties) body["additionalProperties"] = this.#field(additionalProperties);
    return { ...body, ...extensions(schema) };
  }

  #intOrString(): Json {
    if (this.#v2) return { type: "string", format: "int-or-string" };
    return { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] };
  }

  #quantity(): Json {
    return this.#v2 ? { type: "string" } : { oneOf: [{ type: "string" }, { type: "number" }] };
  }
}

/** JSON values of any shape have no definition of their own. */
const inlined = new Set(["Duration", "JSON"]);

const extensionNames = [
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

function extensions(schema: BuiltinSchema): Json {
  return Object.fromEntries(
    extensionNames.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const])),
  );
}
