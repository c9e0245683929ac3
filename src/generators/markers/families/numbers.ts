import type { Schema } from "../../model/schema.ts";
import { type KeyValue, type MarkerFamily, flag, numeric, keyMarker, validation } from "../definition.ts";

/** The parts of a marker that Kubernetes' declarative validation defines: it is for fields, and may have comments. */
export const declarative = { targets: ["field"], forItems: false, hashComments: true } as const;

const limit: KeyValue<number> = {
  type: "number",
  read: numeric,
  refuse(schema, args) {
    const problem = checkNumeric(schema);
    if (problem !== undefined || schema.type === "number" || Number.isInteger(numeric(args))) return problem;
    return `${numeric(args)} is not a valid limit for an integer`;
  },
};

const exclusive: KeyValue<true | undefined> = { type: "bool", read: flag, refuse: checkNumeric };

export const numbers: MarkerFamily = {
  name: "numbers",
  title: "Limits of numbers",
  markers: [
    validation("Maximum", "maximum", limit, "The maximum value."),
    validation("Minimum", "minimum", limit, "The minimum value."),
    validation("MultipleOf", "multipleOf", limit, "The value must be a multiple of this."),
    validation("ExclusiveMaximum", "exclusiveMaximum", exclusive, "The maximum itself is not allowed."),
    validation("ExclusiveMinimum", "exclusiveMinimum", exclusive, "The minimum itself is not allowed."),
    { ...keyMarker("k8s:maximum", "maximum", limit, "An alias of Maximum."), ...declarative },
    { ...keyMarker("k8s:minimum", "minimum", limit, "An alias of Minimum."), ...declarative },
  ],
};

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
