import type { Schema } from "../../model/schema.ts";
import { fieldAndType, type MarkerDefinition, type MarkerFamily, singleValue } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

/** Limits of lists and maps. */
export const collections: MarkerFamily = {
  name: "collections",
  title: "Limits of lists and maps",
  markers: [
    count("kubebuilder:validation:MaxItems", "maxItems", "The maximum number of elements."),
    count("kubebuilder:validation:MinItems", "minItems", "The minimum number of elements."),
    {
      name: "kubebuilder:validation:UniqueItems",
      targets: fieldAndType,
      forItems: true,
      summary: "All elements must be unique. The API server rejects true: use +listType=set.",
      arguments: singleValue("bool"),
      apply(schema, args) {
        const problem = checkType(schema, "array");
        if (problem) return problem;
        schema.uniqueItems = args[""] === true ? true : undefined;
        return undefined;
      },
    },
    count("kubebuilder:validation:MaxProperties", "maxProperties", "The maximum number of properties."),
    count("kubebuilder:validation:MinProperties", "minProperties", "The minimum number of properties."),
    { ...count("k8s:maxItems", "maxItems", "An alias of MaxItems."), ...declarative },
    { ...count("k8s:minItems", "minItems", "An alias of MinItems."), ...declarative },
  ],
};

type CountKey = "maxItems" | "minItems" | "maxProperties" | "minProperties";

function count(name: string, key: CountKey, summary: string): MarkerDefinition {
  const type = key.endsWith("Items") ? "array" : "object";
  return {
    name,
    targets: fieldAndType,
    forItems: true,
    summary,
    arguments: singleValue("int"),
    apply(schema, args) {
      const problem = checkType(schema, type);
      if (problem) return problem;
      schema[key] = Number(args[""]);
      return undefined;
    },
  };
}

/** Checks the type of a schema; users call an array a list and an object a map. */
export function checkType(schema: Schema, type: "array" | "object"): string | undefined {
  if (schema.type === type) return undefined;
  const expected = type === "array" ? "lists" : "objects and maps";
  return `it applies to ${expected}, but this is ${describeSchema(schema)}`;
}
