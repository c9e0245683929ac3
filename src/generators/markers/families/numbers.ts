import type { Schema } from "../../model/schema.ts";
import { fieldAndType, type MarkerDefinition, type MarkerFamily, singleValue } from "../definition.ts";

/** Shared with Kubernetes' own declarative validation. */
export const declarative = { targets: ["field"], forItems: false, hashComments: true } as const;

/** Limits of numbers. */
export const numbers: MarkerFamily = {
  name: "numbers",
  title: "Limits of numbers",
  markers: [
    bound("kubebuilder:validation:Maximum", "maximum", "The maximum value."),
    bound("kubebuilder:validation:Minimum", "minimum", "The minimum value."),
    bound("kubebuilder:validation:MultipleOf", "multipleOf", "The value must be a multiple of this."),
    exclusive(
      "kubebuilder:validation:ExclusiveMaximum",
      "exclusiveMaximum",
      "The maximum itself is not allowed.",
    ),
    exclusive(
      "kubebuilder:validation:ExclusiveMinimum",
      "exclusiveMinimum",
      "The minimum itself is not allowed.",
    ),
    { ...bound("k8s:maximum", "maximum", "An alias of Maximum."), ...declarative },
    { ...bound("k8s:minimum", "minimum", "An alias of Minimum."), ...declarative },
  ],
};

function bound(name: string, key: "maximum" | "minimum" | "multipleOf", summary: string): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    forItems: true,
    summary,
    arguments: singleValue("number"),
    apply(schema, args) {
      const value = Number(args[""]);
      const problem = checkNumeric(schema);
      if (problem) return problem;
      if (schema.type === "integer" && !Number.isInteger(value))
        return `${value} is not a valid limit for an integer`;
      schema[key] = value;
      return undefined;
    },
  };
}

function exclusive(
  name: string,
  key: "exclusiveMaximum" | "exclusiveMinimum",
  summary: string,
): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    forItems: true,
    summary,
    arguments: singleValue("bool"),
    apply(schema, args) {
      const problem = checkNumeric(schema);
      if (problem) return problem;
      schema[key] = args[""] === true ? true : undefined;
      return undefined;
    },
  };
}

function checkNumeric(schema: Schema): string | undefined {
  if (schema.type === "integer" || schema.type === "number") return undefined;
  return `it applies to integers and numbers, but this is ${describeSchema(schema)}`;
}

/** Describes the type of a schema in an error message. */
export function describeSchema(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"]) return "an integer or string";
  if (!schema.type) return "of no single type";
  return /^[aeiou]/u.test(schema.type) ? `an ${schema.type}` : `a ${schema.type}`;
}
