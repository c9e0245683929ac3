import { fieldAndType, type MarkerFamily, singleValue } from "../definition.ts";

/** Markers of tsbuilder's own that fit a type to its use. */
export const tailoring: MarkerFamily = {
  name: "tailoring",
  title: "Fitting a type to its use",
  markers: [
    {
      name: "tsbuilder:featureGate",
      targets: fieldAndType,
      summary: "The field or kind is there only when the gate is on: --feature-gates=Name.",
      arguments: singleValue("string"),
    },
    {
      name: "tsbuilder:schemaFrom",
      targets: ["field"],
      summary: "The field has the schema of another type that is in scope.",
      arguments: singleValue("string"),
    },
    {
      name: "tsbuilder:opaque",
      targets: ["field"],
      summary: "The type's structure is kept, its validation rules and defaults are left out.",
      arguments: {},
    },
    {
      name: "tsbuilder:ignore",
      targets: ["field"],
      summary: "The property is no part of the API.",
      arguments: {},
    },
  ],
};
