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
      summary: "The allowed values. A union of literals has the same effect without a marker.",
      arguments: singleValue({ type: "list", item: { type: "any" } }),
      apply(schema, args) {
        schema.enum = args[""] as readonly string[];
        return undefined;
      },
    },
    {
      name: "k8s:enum",
      targets: ["type"],
      summary: "Allows the values of all string constants declared with this type, sorted.",
      arguments: {},
      apply: (schema, _, context) => applyConstants(schema, context),
    },
    {
      name: "kubebuilder:validation:Type",
      targets: fieldAndType,
      forItems: true,
      priority: 9,
      summary: "Overrides the type in the schema, for types with a custom JSON form.",
      arguments: singleValue("string"),
      apply(schema, args) {
        schema.type = text(args);
        return undefined;
      },
      check: (args) =>
        ["", ...schemaTypes].includes(text(args))
          ? undefined
          : `"${text(args)}" is not a valid type; use one of ${schemaTypes.join(", ")}`,
    },
    {
      name: "nullable",
      targets: ["field"],
      summary: "The value may be null. `T | null` has the same effect without a marker.",
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
  if (schema.type !== "string") return "it applies to string types";
  const found = [...new Set(context.constants())].sort();
  if (found.length === 0) return "no constant is declared with this type";
  schema.enum = found;
  return undefined;
}
