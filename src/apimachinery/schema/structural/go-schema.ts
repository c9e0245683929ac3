import type { JSONSchema, ValidationRule } from "../json-schema.ts";

/** The keywords in the order of the API server's Go struct, with their zero values. */
const keywords: readonly (readonly [goName: string, keyword: string, zero: unknown])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null],
  ["AllOf", "allOf", null],
  ["OneOf", "oneOf", null],
  ["AnyOf", "anyOf", null],
  ["Not", "not", null],
  ["Properties", "properties", null],
  ["AdditionalProperties", "additionalProperties", null],
  ["PatternProperties", "patternProperties", null],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null],
  ["Definitions", "definitions", null],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** Returns the name of a keyword in the API server's Go struct; undefined for an unknown one. */
export function goKeyword(keyword: string): string | undefined {
  return keywords.find(([, name]) => name === keyword)?.[0];
}

/** Returns a schema as in field errors: the API server prints its Go struct. */
export function goSchema(schema: JSONSchema): object {
  const values = schema as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    keywords.map(([goName, keyword, zero]) => [
      goName,
      values[keyword] === undefined ? zero : goKeywordValue(keyword, values[keyword]),
    ]),
  );
}

/** Returns a rule as in field errors, like `goSchema()`. */
export function goRule(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** Converts the value of a keyword to its Go struct. */
function goKeywordValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "items":
      if (Array.isArray(value)) return { Schema: null, JSONSchemas: (value as JSONSchema[]).map(goSchema) };
      return { Schema: goSchema(value as JSONSchema), JSONSchemas: null };
    case "additionalProperties":
    case "additionalItems":
      if (typeof value === "boolean") return { Allows: value, Schema: null };
      return { Allows: true, Schema: goSchema(value as JSONSchema) };
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as JSONSchema[]).map(goSchema);
    case "not":
      return goSchema(value as JSONSchema);
    case "properties":
    case "patternProperties":
    case "definitions":
      return goSchemas(value as Record<string, JSONSchema>);
    case "externalDocs": {
      const { description = "", url = "" } = value as { description?: string; url?: string };
      return { Description: description, URL: url };
    }
    case "x-kubernetes-validations":
      return (value as ValidationRule[]).map(goRule);
    default:
      return value;
  }
}

function goSchemas(schemas: Readonly<Record<string, JSONSchema>>): object {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, goSchema(schemas[name]!)]));
}
