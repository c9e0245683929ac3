import { readJson } from "../parse-marker.ts";
import { keyMarker, type MarkerFamily, singleValue, text } from "../definition.ts";

export const defaults: MarkerFamily = {
  name: "defaults",
  title: "Default values and examples",
  markers: [
    {
      name: "kubebuilder:default",
      targets: ["field"],
      summary: "The default that the API server sets if the field is omitted.",
      arguments: singleValue("any"),
      apply(schema, args) {
        const value = args[""]!;
        // Braces do not tell an empty list from an empty map.
        const isEmptyMap = typeof value === "object" && value !== null && Object.keys(value).length === 0;
        schema.default = schema.type === "array" && isEmptyMap ? [] : value;
        return undefined;
      },
    },
    {
      name: "default",
      targets: ["field"],
      priority: 9,
      summary: "The default as JSON, as in Kubernetes' own types. +kubebuilder:default takes precedence.",
      arguments: { "": { type: "raw" } },
      check(args) {
        const written = text(args).trim();
        if (written.startsWith("ref(")) return undefined;
        try {
          readJson(written);
          return undefined;
        } catch {
          return `expected JSON, got "${written}"; a string in JSON has double quotes`;
        }
      },
      apply(schema, args) {
        const written = text(args).trim();
        if (written.startsWith("ref(")) return undefined;
        const value = readJson(written);
        if (value !== null) schema.default = value;
        return undefined;
      },
    },
    {
      ...keyMarker(
        "kubebuilder:example",
        "example",
        { type: "any", read: (args) => args[""] },
        "An example value for documentation; it has no effect on objects.",
      ),
      targets: ["field"],
      forItems: false,
    },
  ],
};
