import { type ApplyContext, fieldAndType, type MarkerFamily, singleValue, text } from "../definition.ts";

/** Allowed values and types. */
export const values: MarkerFamily = {
  name: "values",
  title: "Allowed values and types",
  markers: [
    {
      name: "kubebuilder:validation:Enum",
      targets: fieldAndType,
      forItems: true,
      summary: "The only values that are allowed. A union of literals says the same without a marker.",
      arguments: singleValue({ type: "list", item: { type: "any" } }),
      apply(schema, args) {
        schema.enum = args[""] as readonly string[];
        return undefined;
      },
    },
    {
      name: "k8s:enum",
      targets: ["type"],
      summary: "The values are those of all string constants that are declared with this type, sorted.",
      arguments: {},
      apply: (schema, _, context) => applyConstants(schema, context),
    },
    {
      name: "kubebuilder:validation:Type",
      targets: fieldAndType,
      forItems: true,
      priority: 9,
      summary:
        "Replaces the type in the schema, for values that are written in another form than their type says.",
      arguments: singleValue("string"),
      apply(schema, args) {
        schema.type = text(args);
        return undefined;
      },
      check: (args) =>
        ["", ...schemaTypes].includes(text(args))
          ? undefined
          : `"${text(args)}" is no type; it is one of ${schemaTypes.join(", ")}`,
    },
    {
      name: "nullable",
      targets: ["field"],
      summary: "The value may be null. `T | null` says the same without a marker.",
      arguments: {},
      apply(schema) {
        schema.nullable = true;
        return undefined;
      },
    },
  ],
};

const schemaTypes = ["object", "array", "string", "integer", "number", "boolean"];

function applyConstants(
  schema: { type?: string | undefined; enum?: unknown },
  context: ApplyContext,
): string | undefined {
  if (schema.type !== "string") return "it is for types that are strings";
  const found = [...new Set(context.constants())].sort();
  if (found.length === 0) return "no constant is declared with this type";
  schema.enum = found;
  return undefined;
}
