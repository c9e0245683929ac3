import { type MarkerFamily, singleValue, text } from "../definition.ts";

/** Default values and examples. */
export const defaults: MarkerFamily = {
  name: "defaults",
  title: "Default values and examples",
  markers: [
    {
      name: "kubebuilder:default",
      targets: ["field"],
      summary: "The value that the API server fills in when the field is missing.",
      arguments: singleValue("any"),
      apply(schema, args) {
        const value = args[""]!;
        // In braces there is no telling an empty list from an empty map.
        const isEmptyMap = typeof value === "object" && value !== null && Object.keys(value).length === 0;
        schema.default = schema.type === "array" && isEmptyMap ? [] : value;
        return undefined;
      },
    },
    {
      name: "default",
      targets: ["field"],
      priority: 9,
      summary: "The default as JSON, the form that Kubernetes uses. +kubebuilder:default wins over it.",
      arguments: { "": { type: "raw" } },
      check(args) {
        const written = text(args).trim();
        if (written.startsWith("ref(")) return undefined;
        try {
          JSON.parse(written);
          return undefined;
        } catch {
          return `expected JSON, got "${written}"; a string in JSON has double quotes`;
        }
      },
      apply(schema, args) {
        const written = text(args).trim();
        if (written.startsWith("ref(")) return undefined;
        const value = JSON.parse(written) as string | null;
        if (value !== null) schema.default = value;
        return undefined;
      },
    },
    {
      name: "kubebuilder:example",
      targets: ["field"],
      summary: "A value to show in documentation; it has no effect on objects.",
      arguments: singleValue("any"),
      apply(schema, args) {
        schema.example = args[""];
        return undefined;
      },
    },
  ],
};
