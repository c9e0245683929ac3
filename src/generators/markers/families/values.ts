import { type MarkerValue, type Schema, originKey, refKey } from "../../model/schema.ts";
import { type ApplyContext, type MarkerFamily, text, validation } from "../definition.ts";
import { describeSchema } from "./numbers.ts";

const schemaTypes = ["object", "array", "string", "integer", "number", "boolean"];

export const values: MarkerFamily = {
  name: "values",
  title: "Allowed values and types",
  markers: [
    validation(
      "Enum",
      "enum",
      {
        type: { type: "list", item: { type: "any" } },
        read: (args) => args[""] as readonly MarkerValue[],
        refuse: (schema, args) => checkEnum(schema, args[""] as readonly MarkerValue[]),
      },
      "The allowed values. A union of literals has the same effect without a marker.",
    ),
    {
      name: "k8s:enum",
      targets: ["type"],
      summary: "Allows the values of all string constants declared with this type, sorted.",
      arguments: {},
      apply: (schema, _, context) => applyConstants(schema, context),
    },
    {
      ...validation(
        "Type",
        "type",
        { type: "string", read: text },
        "Overrides the type in the schema, for types with a custom JSON form.",
      ),
      // Before markers that depend on the type.
      priority: 9,
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

/** Refuses an enum whose values are of another type than the field, or not among the literals of its union. */
function checkEnum(schema: Schema, values: readonly MarkerValue[]): string | undefined {
  const { type } = schema;
  const literals = literalsOf(schema) ?? (schema[refKey] && literalsOf(schema[refKey]));
  const unknown = literals && values.find((value) => !literals.includes(value));
  if (unknown !== undefined) {
    return `${formatValue(unknown)} is not one of the values of the type, ${literals!.map(formatValue).join(", ")}`;
  }
  const hasType: Readonly<Record<string, (value: MarkerValue) => boolean>> = {
    string: (value) => typeof value === "string",
    integer: (value) => typeof value === "bigint" || Number.isInteger(value),
    number: (value) => typeof value === "bigint" || typeof value === "number",
    boolean: (value) => typeof value === "boolean",
  };
  const wrong = values.find((value) => type !== undefined && hasType[type]?.(value) === false);
  if (wrong === undefined) return undefined;
  const written = formatValue(wrong);
  const hint = type === "string" ? `: write "${written}"` : "";
  return `${written} is not ${describeSchema(schema)}${hint}`;
}

function formatValue(value: MarkerValue): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** Returns the enum of a union of literals; undefined if a marker has set the enum. */
function literalsOf(schema: Schema): Schema["enum"] {
  return schema[originKey]?.markers.has("enum") ? undefined : schema.enum;
}

function applyConstants(schema: { type?: string | undefined; enum?: unknown }, context: ApplyContext) {
  if (schema.type !== "string") return "it applies to string types";
  const found = [...new Set(context.constants())].sort();
  if (found.length === 0) return "no constant is declared with this type";
  schema.enum = found;
  return undefined;
}
