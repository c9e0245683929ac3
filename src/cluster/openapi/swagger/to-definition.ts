import type { JSONObject } from "@tsbuilder/apimachinery/json";

/** Keywords of a schema that OpenAPI v2 does not have, and defaults, which Kubernetes publishes in v3 alone. */
const v3Words = new Set(["oneOf", "anyOf", "not", "nullable", "allOf", "default"]);

/** Converts a v3 schema to v2. A union of types becomes a schema without a type, except for those that Kubernetes names. */
export function toDefinition(schema: JSONObject<unknown>): JSONObject<unknown> {
  const reference = singleReference(schema);
  const entries = Object.entries(schema)
    .filter(([word]) => !v3Words.has(word))
    .map(([word, value]): [string, unknown] => [word, toWord(word, value)]);
  const definition: JSONObject<unknown> = { ...Object.fromEntries(entries), ...reference };
  // As Kubernetes publishes them: an int-or-string is a string with a format, a quantity any string.
  if (schema["format"] === "int-or-string" || isQuantity(schema)) definition["type"] = "string";
  if (schema["x-kubernetes-int-or-string"] === true) {
    delete definition["type"];
    delete definition["format"];
  }
  return omitConstraints(schema, definition);
}

/** Omits what kubectl, which validates by v2, would hold against values that are null or have unknown fields. */
function omitConstraints(schema: JSONObject<unknown>, definition: JSONObject<unknown>): JSONObject<unknown> {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const gvk = schema["x-kubernetes-group-version-kind"];
  if (isOpen && gvk !== undefined) return { type: "object", "x-kubernetes-group-version-kind": gvk };
  const isNullable = schema["nullable"] === true;
  const { type, items, properties, required: _required, ...rest } = definition;
  const hasItems = items !== undefined && !isOpen && !isNullable;
  const isTyped =
    type !== undefined && !isNullable && !(isOpen && type === "object") && (type !== "array" || hasItems);
  // An embedded object's own type is not required of what else may stand there.
  const added = isOpen && schema["x-kubernetes-embedded-resource"] === true ? ["kind", "apiVersion"] : [];
  const needed = requiredFields(schema).filter((name) => !added.includes(name));
  return {
    ...rest,
    ...(isTyped && { type }),
    ...(hasItems && { items }),
    ...(properties !== undefined && !isOpen && !isNullable && { properties }),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** The required fields that can't be null. */
function requiredFields({
  required,
  properties,
  additionalProperties,
}: JSONObject<unknown>): readonly string[] {
  const fields = (properties ?? {}) as Record<string, JSONObject<unknown>>;
  if ((additionalProperties as JSONObject<unknown> | undefined)?.["nullable"] === true) return [];
  return ((required ?? []) as string[]).filter((name) => fields[name]?.["nullable"] !== true);
}

/** In v3, a reference with a description is in a list of one item, because siblings of `$ref` are ignored. */
function singleReference({ allOf }: JSONObject<unknown>): JSONObject<unknown> {
  const [only, ...others] = (allOf ?? []) as JSONObject<unknown>[];
  return only?.["$ref"] !== undefined && others.length === 0 ? toDefinition(only) : {};
}

function toWord(word: string, value: unknown): unknown {
  switch (word) {
    case "$ref":
      return String(value).replace("#/components/schemas/", "#/definitions/");
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, JSONObject<unknown>>).map(([name, child]) => [
          name,
          toDefinition(child),
        ]),
      );
    case "items":
      return toDefinition(value as JSONObject<unknown>);
    case "additionalProperties":
      return typeof value === "object" ? toDefinition(value as JSONObject<unknown>) : value;
    default:
      return value;
  }
}

function isQuantity({ oneOf }: JSONObject<unknown>): boolean {
  const types = ((oneOf ?? []) as JSONObject<unknown>[]).map(({ type }) => type);
  return types.length === 2 && types.includes("string") && types.includes("number");
}
