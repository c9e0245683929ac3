import type { Schema } from "../../schema/schema.ts";
import { fieldAndType, type MarkerDefinition, type MarkerFamily, singleValue } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

/** Bounds of lists and maps. */
export const collections: MarkerFamily = {
  name: "collections",
  title: "Bounds of lists and maps",
  markers: [
    count("kubebuilder:validation:MaxItems", "maxItems", "The greatest number of elements."),
    count("kubebuilder:validation:MinItems", "minItems", "The smallest number of elements."),
    {
      name: "kubebuilder:validation:UniqueItems",
      targets: fieldAndType,
      forItems: true,
      summary: "No two elements are equal. The API server refuses true: use +listType=set.",
      arguments: singleValue("bool"),
      apply(schema, args) {
        const problem = checkType(schema, "array");
        if (problem) return problem;
        schema.uniqueItems = args[""] === true ? true : undefined;
        return undefined;
      },
    },
    count("kubebuilder:validation:MaxProperties", "maxProperties", "The greatest number of keys."),
    count("kubebuilder:validation:MinProperties", "minProperties", "The smallest number of keys."),
    { ...count("k8s:maxItems", "maxItems", "Same as MaxItems."), ...declarative },
    { ...count("k8s:minItems", "minItems", "Same as MinItems."), ...declarative },
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

/** Checks the type of a schema; an array is a list and an object a map in the words of a user. */
export function checkType(schema: Schema, type: "array" | "object"): string | undefined {
  if (schema.type === type) return undefined;
  const expected = type === "array" ? "lists" : "objects and maps";
  return `it is for ${expected}, and this is ${describeSchema(schema)}`;
}
