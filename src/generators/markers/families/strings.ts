import { patternError } from "@tsbuilder/apimachinery/schema";
import type { Schema } from "../../schema/schema.ts";
import { fieldAndType, type MarkerDefinition, type MarkerFamily, singleValue, text } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

/** Bounds of strings. */
export const strings: MarkerFamily = {
  name: "strings",
  title: "Bounds of strings",
  markers: [
    length("kubebuilder:validation:MaxLength", "maxLength", "The greatest number of characters."),
    length("kubebuilder:validation:MinLength", "minLength", "The smallest number of characters."),
    {
      name: "kubebuilder:validation:Pattern",
      targets: fieldAndType,
      forItems: true,
      summary: "A regular expression (RE2) that the value matches somewhere; anchor it with ^ and $.",
      arguments: singleValue("string"),
      check(args) {
        const problem = patternError(text(args));
        return problem && `the API server cannot read the pattern: ${problem}`;
      },
      apply(schema, args) {
        const problem = checkTextual(schema);
        if (problem) return problem;
        schema.pattern = text(args);
        return undefined;
      },
    },
    { ...length("k8s:maxLength", "maxLength", "Same as MaxLength."), ...declarative },
    { ...length("k8s:minLength", "minLength", "Same as MinLength."), ...declarative },
    {
      name: "kubebuilder:validation:Format",
      targets: fieldAndType,
      forItems: true,
      summary: "A format such as date-time, email, ipv4, uuid or int32.",
      arguments: singleValue("string"),
      apply(schema, args) {
        schema.format = text(args);
        return undefined;
      },
    },
  ],
};

function length(name: string, key: "maxLength" | "minLength", summary: string): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    forItems: true,
    summary,
    arguments: singleValue("int"),
    apply(schema, args) {
      const problem = checkTextual(schema);
      if (problem) return problem;
      schema[key] = Number(args[""]);
      return undefined;
    },
  };
}

function checkTextual(schema: Schema): string | undefined {
  if (schema.type === "string" || schema["x-kubernetes-int-or-string"]) return undefined;
  return `it is for strings, and this is ${describeSchema(schema)}`;
}
