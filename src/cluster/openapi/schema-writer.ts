import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type BuiltinSchema, definitionName } from "@tsbuilder/apimachinery/kinds";

/** Converts schemas of built-in types to OpenAPI, each named type once under `components.schemas`. */
export class SchemaWriter {
  readonly #prefix: string;
  readonly #v2: boolean;
  readonly definitions: Record<string, JSONObject<unknown>> = {};

  /** OpenAPI v2 has definitions at another path, and no `oneOf`. */
  constructor(version: 2 | 3 = 3) {
    this.#v2 = version === 2;
    this.#prefix = this.#v2 ? "#/definitions/" : "#/components/schemas/";
  }

  /** Returns a reference to a named type, whose definition is added if it is missing. */
  reference(schema: BuiltinSchema): JSONObject<unknown> {
    const name = definitionName(schema.typeName!);
    if (!this.definitions[name]) {
      const definition: JSONObject<unknown> = {};
      this.definitions[name] = definition;
      Object.assign(definition, this.#body(schema));
    }
    return { $ref: `${this.#prefix}${name}` };
  }

  #field(schema: BuiltinSchema): JSONObject<unknown> {
    const { typeName, description } = schema;
    const named = typeName !== undefined && !inlined.has(typeName);
    if (!named) return this.#body(schema);
    const reference = this.reference(schema);
    const extras = { ...(description && { description }), ...extensions(schema) };
    if (Object.keys(extras).length === 0) return reference;
    return this.#v2 ? { ...extras, ...reference } : { ...extras, allOf: [reference] };
  }

  #body(schema: BuiltinSchema): JSONObject<unknown> {
    const { type, format, description, properties, required, items, additionalProperties } = schema;
    const body: JSONObject<unknown> = { ...(description && { description }) };
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

  #intOrString(): JSONObject<unknown> {
    if (this.#v2) return { type: "string", format: "int-or-string" };
    return { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] };
  }

  #quantity(): JSONObject<unknown> {
    return this.#v2 ? { type: "string" } : { oneOf: [{ type: "string" }, { type: "number" }] };
  }
}

/** Types that are inlined, because they have no definition. */
const inlined = new Set(["Duration", "JSON"]);

const extensionNames = [
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

function extensions(schema: BuiltinSchema): JSONObject<unknown> {
  return Object.fromEntries(
    extensionNames.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]] as const])),
  );
}
