import { fieldAndType, type MarkerFamily, singleValue } from "../definition.ts";

/** tsbuilder's own markers, which adapt a type. */
export const tailoring: MarkerFamily = {
  name: "tailoring",
  title: "Adapting a type",
  markers: [
    {
      name: "tsbuilder:featureGate",
      targets: fieldAndType,
      summary: "Includes the field or kind only if the feature gate is enabled: --feature-gates=Name.",
      arguments: singleValue("string"),
    },
    {
      name: "tsbuilder:schemaFrom",
      targets: ["field"],
      summary: "Uses the schema of another type that is in scope.",
      arguments: singleValue("string"),
    },
    {
      name: "tsbuilder:opaque",
      targets: ["field"],
      summary: "Keeps the type's structure, without its validation rules and defaults.",
      arguments: {},
    },
    {
      name: "tsbuilder:ignore",
      targets: ["field"],
      summary: "Omits the property from the API.",
      arguments: {},
    },
  ],
};
