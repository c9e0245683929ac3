type Json = Record<string, unknown>;

/** Words of a schema that OpenAPI v2 doesn't have. */
const v3Words = new Set(["oneOf", "anyOf", "not", "nullable", "allOf"]);

/** Writes a v3 schema with the words of v2. What has several types has none here, but for the ones Kubernetes names. */
export function toDefinition(schema: Json): Json {
  const reference = singleReference(schema);
  const entries = Object.entries(schema)
    .filter(([word]) => !v3Words.has(word))
    .map(([word, value]): [string, unknown] => [word, toWord(word, value)]);
  const definition: Json = { ...Object.fromEntries(entries), ...reference };
  // As Kubernetes publishes them: a port is a string in a form of its own, a quantity is any string.
  if (schema["format"] === "int-or-string" || isQuantity(schema)) definition["type"] = "string";
  if (schema["x-kubernetes-int-or-string"] === true) {
    delete definition["type"];
    delete definition["format"];
  }
  return definition;
}

/** In v3 a reference with a description stands in a list of one, because its neighbours would not count. */
function singleReference({ allOf }: Json): Json {
  const [only, ...others] = (allOf ?? []) as Json[];
  return only?.["$ref"] !== undefined && others.length === 0 ? toDefinition(only) : {};
}

function toWord(word: string, value: unknown): unknown {
  switch (word) {
    case "$ref":
      return String(value).replace("#/components/schemas/", "#/definitions/");
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, child]) => [name, toDefinition(child)]),
      );
    case "items":
      return toDefinition(value as Json);
    case "additionalProperties":
      return typeof value === "object" ? toDefinition(value as Json) : value;
    default:
      return value;
  }
}

function isQuantity({ oneOf }: Json): boolean {
  const types = ((oneOf ?? []) as Json[]).map(({ type }) => type);
  return types.length === 2 && types.includes("string") && types.includes("number");
}
