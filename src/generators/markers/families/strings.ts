import { patternError } from "@tsbuilder/apimachinery/schema";
import type { Schema } from "../../model/schema.ts";
import { fieldAndType, type MarkerDefinition, type MarkerFamily, singleValue, text } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

/** Limits of strings. */
export const strings: MarkerFamily = {
  name: "strings",
  title: "Limits of strings",
  markers: [
    length("kubebuilder:validation:MaxLength", "maxLength", "The maximum length in characters."),
    length("kubebuilder:validation:MinLength", "minLength", "The minimum length in characters."),
    {
      name: "kubebuilder:validation:Pattern",
      targets: fieldAndType,
      forItems: true,
      summary: "A regular expression (RE2) that must match part of the value; anchor it with ^ and $.",
      arguments: singleValue("string"),
      check(args) {
        const problem = patternError(text(args));
        return problem && `the API server cannot parse the pattern: ${problem}`;
      },
      apply(schema, args) {
        const problem = checkTextual(schema);
        if (problem) return problem;
        schema.pattern = text(args);
        return undefined;
      },
    },
    { ...length("k8s:maxLength", "maxLength", "An alias of MaxLength."), ...declarative },
    { ...length("k8s:minLength", "minLength", "An alias of MinLength."), ...declarative },
    {
      name: "kubebuilder:validation:Format",
      targets: fieldAndType,
      forItems: true,
      summary: "A format, for example date-time, email, ipv4, uuid or int32.",
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
  return `it applies to strings, but this is ${describeSchema(schema)}`;
}
